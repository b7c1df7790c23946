import Glibc
import JSON
import TestSupport
import Testing

/// Many verbs at once on one configuration.
@Suite(
    .serialized,
    .enabled("\(PrivateNamespace.requirement)") { try PrivateNamespace.isPresent })
struct RaceTests {
    private func finish(_ commands: [Command]) throws -> [Command.Result] {
        try commands.map { try $0.finish(seconds: 60) }
    }

    private func expectOneSession(_ site: Installation) throws {
        #expect(try Kernel.tunnels().count == 1)
        let hosts = try Processes.all {
            $0.contains("--root=\(site.root)") && $0.contains("--foreground")
        }
        #expect(hosts.count == 1)
    }

    @Test(arguments: 0..<4)
    func manyStartsAtOnceMakeOneSession(round: Int) throws {
        let site = try Installation()
        try site.save("office")
        let starts = try (0..<20).map { _ in try site.start("start", "--json", "office") }
        let results = try finish(starts)
        for result in results { #expect(result.status == 0, "\(result)") }
        let answers = try results.map { try Installation.parse($0.output) }
        #expect(Set(answers.compactMap { $0["attempt"]?.string }).count == 1)
        #expect(answers.filter { $0["alreadyRunning"] == .bool(false) }.count == 1)
        try expectOneSession(site)
        #expect(try eventually { try site.utunctl("status", "office").status == 0 })
    }

    @Test(arguments: 0..<2)
    func manyWaitsAtOnceSeeOneConnection(round: Int) throws {
        let site = try Installation()
        try site.save("office")
        let starts = try (0..<20).map { _ in try site.start("start", "--wait", "office") }
        for result in try finish(starts) {
            #expect(result.status == 0, "\(result)")
            #expect(result.output == "office: connected (utun0)\n")
        }
        try expectOneSession(site)
    }

    @Test func manyStopsAtOnceAreAllSuccess() throws {
        let site = try Installation()
        try site.save("office")
        for _ in 0..<3 {
            #expect(try site.utunctl("start", "--wait", "office").status == 0)
            let stops = try (0..<12).map { _ in try site.start("stop", "office") }
            for result in try finish(stops) {
                #expect(result.status == 0, "\(result)")
                #expect(result.output == "office: stopped\n")
            }
            #expect(try Kernel.tunnels().isEmpty)
            #expect(try site.lastDisconnect("office").code == "stoppedByUser")
        }
    }

    @Test func overlappingVerbsEndInTheStateOfTheLastOne() throws {
        let site = try Installation()
        try site.save("office")
        var generator = SystemRandomNumberGenerator()
        var running: [Command] = []
        for _ in 0..<100 {
            if running.count == 8 {
                let result = try running.removeFirst().finish()
                #expect([0, 12].contains(result.status), "\(result)")
            }
            let verb = Bool.random(using: &generator) ? "start" : "stop"
            running.append(try site.start(verb, "office"))
        }
        for result in try finish(running) {
            #expect([0, 12].contains(result.status), "\(result)")
        }
        #expect(try site.utunctl("start", "--wait", "office").status == 0)
        try expectOneSession(site)
        #expect(try site.utunctl("stop", "office").status == 0)
        #expect(try Kernel.tunnels().isEmpty)
        #expect(eventually { (try? site.hasNoProcess()) == true })
    }

    @Test func stopAndStartInQuickOrderNeverFail() throws {
        let site = try Installation()
        try site.save("office")
        var attempts: Set<String> = []
        for _ in 0..<30 {
            let stop = try site.utunctl("stop", "office")
            #expect(stop.status == 0, "\(stop)")
            let start = try site.utunctl("start", "--wait", "--json", "office")
            #expect(start.status == 0, "\(start)")
            attempts.insert(try Installation.parse(start.output)["attempt"]?.string ?? "")
        }
        #expect(attempts.count == 30)
        try expectOneSession(site)
    }

    @Test func aStartDuringAStopWaitsAndSucceeds() throws {
        let site = try Installation()
        try site.save("office", "providerConfiguration.ignoreStop=true", "stopTimeout=1")
        #expect(try site.utunctl("start", "--wait", "office").status == 0)
        let former = try site.status("office")["attempt"]
        let stop = try site.start("stop", "office")
        #expect(try eventually { try site.word("office") == "disconnecting" })
        let start = try site.utunctl("start", "--wait", "office")
        #expect(start.status == 0, "\(start)")
        #expect(try stop.finish().status == 0)
        #expect(try site.status("office")["attempt"] != former)
        try expectOneSession(site)
    }

    @Test func aStopDuringAStartEndsBoth() throws {
        let site = try Installation()
        try site.save("office", "providerConfiguration.hangOnStart=true")
        for _ in 0..<5 {
            let start = try site.start("start", "--wait", "office")
            #expect(try eventually { try site.word("office") == "connecting" })
            #expect(try site.utunctl("stop", "office").status == 0)
            let result = try start.finish()
            #expect(result.status == 6, "\(result)")
            #expect(result.output.isEmpty)
            #expect(result.errors.contains("stoppedByUser"))
            #expect(try Kernel.tunnels().isEmpty)
        }
    }

    @Test func aRemovalDuringAStartLeavesNothing() throws {
        for pause: UInt32 in [0, 2000, 5000, 10_000, 20_000, 40_000] {
            let site = try Installation()
            try site.save("office")
            let start = try site.start("start", "office")
            usleep(pause)
            let remove = try site.utunctl("remove", "office")
            #expect(remove.status == 0, "\(remove)")
            let result = try start.finish()
            #expect([0, 4, 6, 12].contains(result.status), "\(result)")
            #expect(try eventually { try site.hasNoProcess() })
            #expect(try Kernel.tunnels().isEmpty)
        }
    }

    @Test func aRemovalDuringASlowStartLeavesNothing() throws {
        let site = try Installation()
        let identifier = try site.save("office")
        // Longer than a session is believed to need until it can be reached.
        let start = try Command(
            [
                "strace", "-qq", "-o", "/dev/null", "-P", "/dev/net/tun", "-e", "trace=ioctl",
                "-e", "inject=ioctl:delay_enter=2500000:when=1",
            ] + site.command(["start", "--foreground", "office"]))
        #expect(eventually { site.read("run/utunctl/\(identifier).lock") != nil })
        let remove = try site.utunctl("remove", "office")
        #expect(remove.status == 0, "\(remove)")
        _ = try start.finish()
        #expect(try eventually { try site.hasNoProcess() })
        #expect(try Kernel.tunnels().isEmpty)
    }

    @Test func aSaveUnderARunningTunnelIsNeverLost() throws {
        let site = try Installation()
        try site.save("office", "title=first")
        #expect(try site.utunctl("start", "--wait", "office").status == 0)
        try site.save("office", "title=second", "startTimeout=30")
        let status = try site.status("office")
        #expect(status["status"] == .string("connected"))
        #expect(status["restartNeeded"] == .bool(true))
        #expect(try site.utunctl("start", "office").status == 12)
        #expect(try site.utunctl("stop", "office").status == 0)
        #expect(try site.status("office")["title"] == .string("second"))
    }

    /// Each looks whether something is free, and then takes it.
    @Test(arguments: [
        #"providerConfiguration.addresses=["10.98.0.1/30"]"#, #"dns.servers=["10.98.0.2"]"#,
    ])
    func ofTwoThatWantTheSameOneGetsIt(setting: String) throws {
        let site = try Installation()
        try site.write("nameserver 192.0.2.53\n", to: "etc/resolv.conf")
        let names = ["first", "second"]
        for (number, name) in names.enumerated() {
            try site.save(name, #"providerConfiguration.addresses=["10.98.\#(number).1/30"]"#)
            try site.save(name, setting)
        }
        for _ in 0..<25 {
            let starts = try names.map { try site.start("start", "--wait", $0) }
            let statuses = try finish(starts).map(\.status).sorted()
            #expect([[0, 6], [0, 12]].contains(statuses), "\(statuses)")
            #expect(try names.filter { try site.word($0) == "connected" }.count == 1)
            #expect(try site.utunctl("stop", "--all").status == 0)
        }
        #expect(site.read("etc/resolv.conf") == "nameserver 192.0.2.53\n")
    }
}
