import Glibc
import JSON
import TestSupport
import Testing

/// Every process of a tunnel is killed in every state: the truth is told, and nothing is left.
@Suite(
    .serialized,
    .enabled("\(PrivateNamespace.requirement)") { try PrivateNamespace.isPresent })
struct KillTests {
    /// How a tunnel comes to be in a state, and stays there.
    enum State: String, CaseIterable, CustomTestStringConvertible {
        case resolving, connecting, connected, reasserting, disconnecting

        var testDescription: String { rawValue }
    }

    /// What is done next.
    enum Verb: String, CaseIterable, CustomTestStringConvertible {
        case stop, start, repair

        var testDescription: String { rawValue }
    }

    @Test(arguments: State.allCases, Verb.allCases)
    func killedHost(in state: State, then verb: Verb) throws {
        let site = try FaultSite()
        try site.bring(to: state)
        let host = try site.installation.livingHost(of: "victim")
        kill(host, SIGKILL)
        #expect(eventually(seconds: 2) { site.hasNoInterfaceOfTheVictim })
        #expect(try site.installation.host(of: "victim") == nil)
        #expect(try site.victimBecomes("disconnected"))
        // Looking changes nothing, however often.
        for _ in 0..<2 {
            #expect(try site.installation.lastDisconnect("victim").code == "sessionHostCrashed")
        }
        try site.converge(by: verb)
        if verb != .start {
            #expect(try site.installation.lastDisconnect("victim").code == "sessionHostCrashed")
        }
        try site.finish()
    }

    @Test(arguments: [State.connecting, .connected, .reasserting], Verb.allCases)
    func killedProvider(in state: State, then verb: Verb) throws {
        let site = try FaultSite()
        try site.bring(to: state)
        kill(try site.installation.livingProvider(of: "victim"), SIGKILL)
        #expect(try site.victimBecomes("disconnected"))
        let last = try site.installation.lastDisconnect("victim")
        #expect(last.code == "providerCrashed")
        #expect(last.text.contains("signal 9 (SIGKILL)"), "\(last.text)")
        #expect(site.hasNoInterfaceOfTheVictim)
        try site.converge(by: verb)
        try site.finish()
    }

    @Test func aProviderKilledWhileItStopsWasStoppedByTheUser() throws {
        let site = try FaultSite()
        try site.bring(to: .disconnecting)
        kill(try site.installation.livingProvider(of: "victim"), SIGKILL)
        #expect(try site.victimBecomes("disconnected"))
        #expect(try site.installation.lastDisconnect("victim").code == "stoppedByUser")
        try site.finish()
    }

    @Test(arguments: [State.resolving, .connecting], Verb.allCases)
    func aKilledControllerLeavesTheTunnelToItself(in state: State, then verb: Verb) throws {
        let site = try FaultSite()
        try site.prepare(state)
        let controller = try site.installation.start("start", "--wait", "victim")
        #expect(try eventually { try site.installation.word("victim") == "connecting" })
        let before = try site.installation.status("victim")
        controller.signal(SIGKILL)
        #expect(try controller.finish().status == 128 + SIGKILL)
        let after = try site.installation.status("victim")
        #expect(after["attempt"] == before["attempt"])
        #expect(after["status"] == .string("connecting"))
        #expect(after["interface"] == before["interface"])
        switch verb {
        case .stop: try site.converge(by: .stop)
        case .start:
            let start = try site.installation.utunctl("start", "victim")
            #expect(start.status == 0)
            #expect(start.errors.contains("it runs already"))
        case .repair:
            #expect(try site.installation.utunctl("repair", "victim").status == 0)
            #expect(try site.installation.status("victim")["attempt"] == before["attempt"])
        }
        try site.finish()
    }

    @Test func aControllerKilledWhileItStopsHasStoppedTheTunnel() throws {
        let site = try FaultSite()
        try site.prepare(.disconnecting)
        #expect(try site.installation.utunctl("start", "--wait", "victim").status == 0)
        let controller = try site.installation.start("stop", "victim")
        #expect(try eventually { try site.installation.word("victim") == "disconnecting" })
        controller.signal(SIGKILL)
        _ = try controller.finish()
        #expect(try site.victimBecomes("disconnected", seconds: 5))
        #expect(try site.installation.lastDisconnect("victim").code == "stoppedByUser")
        try site.finish()
    }

    @Test func aCrashedProviderIsToldOfWithItsLastWords() throws {
        let site = try Installation()
        try site.save(
            "wordy",
            hostile: """
                connect()
                for word in ("first", "second", "third"):
                    print(word, file=sys.stderr, flush=True)
                os._exit(3)
                """)
        let start = try site.utunctl("start", "--wait", "wordy")
        #expect(start.status == 0 || start.status == 6)
        #expect(try eventually(seconds: 1) { try site.word("wordy") == "disconnected" })
        let last = try site.lastDisconnect("wordy")
        #expect(last.code == "providerCrashed")
        #expect(last.text == "the provider exited with status 3: first | second | third")
    }

    @Test func aWatcherHearsOfAKilledProviderWithinASecond() throws {
        let site = try Installation()
        try site.save("office")
        #expect(try site.utunctl("start", "--wait", "office").status == 0)
        let watch = try site.start("status", "--watch", "--json", "office")
        _ = try watch.output(until: "snapshot")
        kill(try site.livingProvider(of: "office"), SIGKILL)
        let lines = try watch.output(until: "providerCrashed", seconds: 1)
        #expect(lines.contains("providerCrashed"), "\(lines)")
        watch.signal(SIGTERM)
        _ = try watch.finish()
    }

    @Test func aLoopOfKilledHostsComesBackEachTime() throws {
        let site = try FaultSite()
        try site.prepare(.connected)
        let rules = try Command.run(["ip", "rule"]).output
        for _ in 0..<5 {
            let start = try site.installation.utunctl("start", "--wait", "victim")
            #expect(start.status == 0, "\(start)")
            kill(try site.installation.livingHost(of: "victim"), SIGKILL)
        }
        #expect(try site.installation.utunctl("start", "--wait", "victim").status == 0)
        #expect(try Command.run(["ip", "rule"]).output == rules)
        let routes = try Command.run(["ip", "route", "show", "table", "all", "proto", "117"]).output
        #expect(routes.split(separator: "\n").count == 1, "\(routes)")
        try site.finish()
    }
}
