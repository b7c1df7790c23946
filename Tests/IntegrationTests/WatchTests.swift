import Glibc
import JSON
import LinuxSystem
import TestSupport
import Testing

/// `status --watch`: nothing is missed, nothing is polled.
@Suite(
    .serialized,
    .enabled("\(PrivateNamespace.requirement)") { try PrivateNamespace.isPresent })
struct WatchTests {
    /// A watch that has printed its snapshot.
    private func watch(_ site: Installation, _ names: String...) throws -> Command {
        let watch = try Command(site.command(["status", "--watch", "--json"] + names))
        guard try watch.output(until: "\"snapshot\"").contains("\"snapshot\"") else {
            throw Unexpected("no snapshot: \(try watch.finish(seconds: 1))")
        }
        return watch
    }

    /// The lines of a watch, once one of them holds all the words.
    private func lines(_ watch: Command, until words: String..., seconds: Double = 5) throws
        -> [JSONObject]
    {
        _ = try eventually(seconds: seconds) {
            try watch.output(until: "\n", seconds: 0).split(separator: "\n").contains { line in
                words.allSatisfy { line.contains($0) }
            }
        }
        return try watch.output(until: "\n", seconds: 0).split(separator: "\n")
            .map { try Installation.parse(String($0)) }
    }

    private func end(_ watch: Command) throws {
        watch.signal(SIGINT)
        let result = try watch.finish(seconds: 5)
        #expect(result.status == 130, "\(result)")
        #expect(result.errors.isEmpty)
    }

    @Test func theSnapshotComesFirstAndLinesAreNumbered() throws {
        let site = try Installation()
        try site.save("office")
        let watch = try watch(site)
        try site.save("home")
        try site.save("home", "title=Home")
        #expect(try site.utunctl("remove", "home").status == 0)
        let lines = try lines(watch, until: "removed")
        #expect(lines.first?["type"] == .string("snapshot"))
        #expect(lines.first?["tunnels"]?.array?.count == 1)
        #expect(
            lines.map { $0["sequence"] }
                == (1...lines.count).map { .integer(Int64($0)) })
        #expect(lines.allSatisfy { $0["time"]?.string?.hasSuffix("Z") == true })
        let told = lines.dropFirst().map {
            "\($0["type"]?.string ?? "") \($0["name"]?.string ?? "")"
        }
        #expect(told.first == "configuration home", "\(told)")
        #expect(told.last == "removed home", "\(told)")
        #expect(told.count { $0 == "configuration home" } == 2, "\(told)")
        try end(watch)
    }

    @Test func noTransitionIsMissedHoweverShort() throws {
        let site = try Installation()
        try site.save("office")
        let watch = try watch(site)
        var transitions: [String] = []
        func told(_ count: Int) throws -> Bool {
            try eventually {
                let statuses = try lines(watch, until: "snapshot").dropFirst().map {
                    $0["status"]?.string ?? ""
                }
                // A status may be told again, with something else about the tunnel that is new.
                transitions = zip([""] + statuses, statuses).filter { $0 != $1 }.map(\.1)
                return transitions.count >= count
            }
        }
        for round in 1...10 {
            #expect(try site.utunctl("start", "--wait", "office").status == 0)
            // A session that is over before the watch gets to run has nobody left to tell of it.
            #expect(try told(round * 4 - 2))
            #expect(try site.utunctl("stop", "office").status == 0)
            #expect(try told(round * 4))
        }
        let life = ["connecting", "connected", "disconnecting", "disconnected"]
        #expect(transitions == Array(repeating: life, count: 10).flatMap { $0 })
        try end(watch)
    }

    @Test(arguments: [("provider", "providerCrashed"), ("host", "sessionHostCrashed")])
    func aKilledProcessIsToldWithinASecond(process: String, code: String) throws {
        let site = try Installation()
        try site.save("office")
        #expect(try site.utunctl("start", "--wait", "office").status == 0)
        let provider = try RunningProcess(providerOf: site, "office")
        let victim = process == "host" ? try #require(provider.parent) : provider
        let watch = try watch(site)
        #expect(kill(victim.pid, SIGKILL) == 0)
        let told = try lines(watch, until: "\"disconnected\"", code, seconds: 1)
        let last = try #require(told.last)
        #expect(last["type"] == .string("tunnel"))
        #expect(last["status"] == .string("disconnected"))
        #expect(last.value("lastDisconnect.code") == .string(code))
        #expect(try site.status("office").value("lastDisconnect.code") == .string(code))
        try end(watch)
    }

    @Test func theRuntimeDirectoryMayAppearLater() throws {
        let site = try Installation()
        try site.save("office")
        #expect(try Command.run(["rm", "-rf", "\(site.root)/run"]).status == 0)
        let watch = try watch(site)
        #expect(try site.utunctl("start", "--wait", "office").status == 0)
        let statuses = try lines(watch, until: "\"connected\"").compactMap { $0["status"]?.string }
        #expect(statuses.contains("connecting"))
        #expect(statuses.last == "connected")
        try end(watch)
    }

    @Test func thePreferencesMayAppearLater() throws {
        let site = try Installation()
        #expect(try Command.run(["rm", "-rf", "\(site.root)/etc"]).status == 0)
        let watch = try watch(site)
        try site.save("office")
        let lines = try lines(watch, until: "configuration")
        #expect(lines.contains { $0["type"] == .string("configuration") }, "\(lines)")
        try end(watch)
    }

    @Test func preferencesBehindASymbolicLinkAreFollowed() throws {
        let site = try Installation()
        try site.save("office")
        let shell =
            "mkdir elsewhere; mv etc/utunctl/preferences.json elsewhere;"
            + " ln -s ../../elsewhere/preferences.json etc/utunctl/preferences.json"
        #expect(try Command.run(["sh", "-ec", "cd \(site.root); \(shell)"]).status == 0)
        let watch = try watch(site)
        try site.save("home")
        let lines = try lines(watch, until: "configuration", "home")
        #expect(lines.contains { $0["type"] == .string("configuration") }, "\(lines)")
        try end(watch)
    }

    @Test func aReplacedCredentialIsTold() throws {
        let site = try Installation()
        let path = "etc/utunctl/credentials/key"
        try site.write("one", to: path, mode: 0o600)
        try site.save("office", "credentials.key=file:key")
        #expect(try site.utunctl("start", "--wait", "office").status == 0)
        let watch = try watch(site)
        #expect(unlink("\(site.root)/\(path)") == 0)
        let told = try lines(watch, until: "credentials.key")
        #expect(told.last?["restartNeeded"] == .bool(true))
        try end(watch)
    }

    @Test func aNamedTunnelMayBeRemovedAndSavedAgain() throws {
        let site = try Installation()
        for name in ["office", "home"] { try site.save(name) }
        let watch = try watch(site, "office", "home")
        #expect(try site.utunctl("remove", "office").status == 0)
        _ = try lines(watch, until: "removed")
        try site.save("home", "title=Home")
        try site.save("other")
        try site.save("office")
        let lines = try lines(watch, until: "configuration", "office")
        let told = lines.map { "\($0["type"]?.string ?? "") \($0["name"]?.string ?? "")" }
        #expect(told.count { $0.hasPrefix("removed") } == 1, "\(told)")
        #expect(!told.contains { $0.hasSuffix("other") }, "\(told)")
        #expect(told.contains("configuration office"), "\(told)")
        try end(watch)
    }

    @Test func theReasonOfAStateGoesWithIt() throws {
        let site = try Installation()
        try site.save("office", #"providerConfiguration.addresses=["10.99.0.1/30"]"#)
        #expect(try site.utunctl("start", "--when", "traffic", "office").status == 0)
        _ = try eventually { try site.word("office") == "waiting" }
        let watch = try watch(site, "office")
        #expect(try site.utunctl("start", "--wait", "office").status == 0)
        let told = try lines(watch, until: "\"status\":\"connected\"").dropFirst()
        #expect(told.contains { $0["status"] == .string("connected") }, "\(told)")
        for line in told { #expect(line["reason"] == .null, "\(line)") }
        try end(watch)
    }

    @Test func peopleReadLinesToo() throws {
        let site = try Installation()
        try site.save("office")
        let watch = try site.start("status", "--watch")
        #expect(try watch.output(until: "disconnected").contains("office  disconnected"))
        #expect(try site.utunctl("start", "--wait", "office").status == 0)
        let text = try watch.output(until: "office: connected (utun0)")
        #expect(text.contains(" office: connecting"), "\(text)")
        #expect(text.contains("office: connected (utun0)\n"), "\(text)")
        try end(watch)
    }

    @Test func aChangeOfTheInterfaceIsTold() throws {
        let site = try Installation()
        try site.save("office")
        #expect(try site.utunctl("start", "--wait", "office").status == 0)
        let watch = try watch(site)
        try Kernel.ip("link", "set", "utun0", "down")
        let told = try lines(watch, until: "linkDown")
        #expect(told.last?["warnings"]?.array?.first?.object?["code"] == .string("linkDown"))
        try Kernel.ip("link", "set", "utun0", "up")
        #expect(
            try eventually {
                try lines(watch, until: "snapshot").last?["warnings"] == .array([])
            })
        try end(watch)
    }

    @Test func nobodyWakesUpWhileNothingHappens() throws {
        let site = try Installation()
        try site.save("office")
        #expect(try site.utunctl("start", "--wait", "office").status == 0)
        let watch = try watch(site)
        let provider = try RunningProcess(providerOf: site, "office")
        let idle = [provider, try #require(provider.parent), RunningProcess(pid: watch.pid)]
        // What the start and this very test have stirred up comes to rest first.
        usleep(500_000)
        let before = idle.map(\.sleeps)
        #expect(before.allSatisfy { $0 != nil })
        usleep(2_000_000)
        #expect(idle.map(\.sleeps) == before)
        // The counter is not blind.
        #expect(try site.utunctl("status", "office").status == 0)
        #expect(idle[1].sleeps != before[1])
        try end(watch)
    }
}
