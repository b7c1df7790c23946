import Glibc
import JSON
import LinuxSystem
import TestSupport
import Testing

/// A tunnel `victim` that is brought into a state, and a `bystander` that nothing may disturb.
final class FaultSite {
    let installation: Installation
    private let before: JSONObject
    private let deafServer: Command

    init() throws {
        installation = try Installation()
        // Takes questions and answers none, so that a name stays unresolved.
        deafServer = try Command([
            "python3", "-c",
            """
            import socket, time
            s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
            s.bind(("127.0.0.1", 53))
            print("bound", flush=True)
            time.sleep(60)
            """,
        ])
        try installation.save(
            "bystander", #"providerConfiguration.addresses=["10.97.0.1/30"]"#)
        guard try installation.utunctl("start", "--wait", "bystander").status == 0,
            try Command.run(["ping", "-c", "2", "-i", "0.01", "10.97.0.2"]).status == 0
        else { throw Unexpected("the bystander does not run") }
        before = try installation.status("bystander")
    }

    deinit {
        deafServer.signal(SIGKILL)
        _ = try? deafServer.finish()
    }

    /// Saves the victim so that a start brings it to a state, or one step before it.
    func prepare(_ state: KillTests.State) throws {
        let route = #"providerConfiguration.includedRoutes=["10.96.1.0/24"]"#
        let addresses = #"providerConfiguration.addresses=["10.96.0.1/30"]"#
        switch state {
        case .resolving:
            _ = try deafServer.output(until: "bound")
            try installation.write("nameserver 127.0.0.1\n", to: "etc/resolv.conf")
            try installation.save("victim", addresses, "serverAddress=vpn.example.org:1")
        case .connecting:
            try installation.save("victim", addresses, "providerConfiguration.hangOnStart=true")
        case .connected: try installation.save("victim", addresses, route)
        case .reasserting:
            try installation.save(
                "victim",
                hostile: """
                    connect()
                    send(type="reasserting", reason="the server was silent")
                    serve()
                    """)
        case .disconnecting:
            try installation.save(
                "victim", addresses, "providerConfiguration.ignoreStop=true", "stopTimeout=1")
        }
    }

    /// Saves the victim and brings it to a state.
    func bring(to state: KillTests.State) throws {
        try prepare(state)
        switch state {
        case .resolving, .connecting:
            #expect(try installation.utunctl("start", "victim").status == 0)
        case .connected: #expect(try installation.utunctl("start", "--wait", "victim").status == 0)
        case .reasserting: #expect(try installation.utunctl("start", "victim").status == 0)
        case .disconnecting:
            #expect(try installation.utunctl("start", "--wait", "victim").status == 0)
            #expect(try installation.utunctl("stop", "--no-wait", "victim").status == 0)
        }
        let word = state == .resolving ? "connecting" : state.rawValue
        let isThere = try eventually { try installation.word("victim") == word }
        if !isThere { throw Unexpected("\(try installation.status("victim"))") }
    }

    /// Waits for a status of the victim, at most for the contract's second.
    func victimBecomes(_ word: String, seconds: Double = aSecond) throws -> Bool {
        try eventually(seconds: seconds) { try installation.word("victim") == word }
    }

    /// Whether only the bystander has an interface.
    var hasNoInterfaceOfTheVictim: Bool {
        (try? Kernel.tunnels().count) == 1
    }

    /// Does the next thing after a fault; all of them come to the end of their verb.
    func converge(by verb: KillTests.Verb) throws {
        let result = try installation.utunctl(verb.rawValue, "victim")
        #expect(result.status == 0, "\(result)")
        if verb == .start {
            #expect(try installation.status("victim")["attempt"] != .null)
            #expect(try installation.utunctl("stop", "victim").status == 0)
        }
    }

    /// The bystander is as it was, and of the victim nothing is left.
    func finish() throws {
        let after = try installation.status("bystander")
        for key in ["attempt", "interface", "status", "connectedSince", "warnings"] {
            #expect(after[key] == before[key], "\(key)")
        }
        let counters = [before, after].map { $0["counters"]?.object }
        #expect(counters[0]?["countsFrom"] == counters[1]?["countsFrom"])
        guard case .integer(let packetsBefore)? = counters[0]?["receivedPackets"],
            case .integer(let packetsAfter)? = counters[1]?["receivedPackets"]
        else { throw Unexpected("no counters: \(after)") }
        #expect(packetsBefore > 0 && packetsAfter >= packetsBefore)
        #expect(try installation.utunctl("stop", "--all").status == 0)
        #expect(try Kernel.tunnels().isEmpty)
        #expect(try eventually(seconds: 2) { try installation.hasNoProcess() })
        let files = try Directory.names("\(installation.root)/run/utunctl")
        let suffixes = [".session.json", ".log", ".hold"]
        let history = files.filter { file in suffixes.contains { file.hasSuffix($0) } }
        #expect(files.count == history.count, "\(files)")
    }
}
