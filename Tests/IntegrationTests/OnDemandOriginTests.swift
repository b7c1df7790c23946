import Glibc
import JSON
import LinuxSystem
import TestSupport
import Testing

/// What On Demand starts and stops, and that a person wins against it.
@Suite(
    .serialized,
    .enabled("\(PrivateNamespace.requirement)") { try PrivateNamespace.isPresent })
struct OnDemandOriginTests {
    private func origin(_ site: Installation) throws -> String? {
        try site.status("office")["origin"]?.string
    }

    private func holds(_ site: Installation) throws -> Bool {
        try site.status("office")["hold"] != .null
    }

    @Test func statusSaysWhoStartedIt() throws {
        let site = try Installation()
        try site.save("office")
        #expect(try site.utunctl("start", "--origin", "ondemand", "office").status == 0)
        #expect(try eventually { try site.word("office") == "connected" })
        #expect(try origin(site) == "ondemand")
    }

    @Test func aRuleThatStopsHoldsNothingAndIsNamed() throws {
        let site = try Installation()
        try site.save("office")
        #expect(try site.utunctl("start", "--origin=ondemand", "office").status == 0)
        let stop = try site.utunctl(
            "stop", "--origin=ondemand", "--reason", "rule 2: disconnect", "office")
        #expect(stop.status == 0, "\(stop)")
        let last = try site.lastDisconnect("office")
        #expect(last.code == "onDemandRule")
        #expect(last.text == "rule 2: disconnect")
        #expect(try !holds(site))
        #expect(try site.utunctl("stop", "--reason", "x", "office").status == 2)
    }

    @Test func itIsRefusedWhatAPersonHasStoppedUntilTheyStartIt() throws {
        let site = try Installation()
        try site.save("office")
        #expect(try site.utunctl("stop", "office").status == 0)
        let start = try site.utunctl("--json", "start", "--origin", "ondemand", "office")
        #expect(start.status == 7, "\(start)")
        #expect(start.json?.value("error.code") == .string("onDemandHeld"))
        #expect(
            start.json?.value("error.hint")
                == .string("utunctl ondemand resume office, or utunctl start office"))
        #expect(try holds(site))
        #expect(try site.utunctl("start", "--wait", "office").status == 0)
        #expect(try !holds(site))
        #expect(try origin(site) == "user")
    }

    /// The look of `start` comes first, and proves nothing of the host's.
    @Test func theHostLooksForItselfUnderItsLock() throws {
        let site = try Installation()
        try site.save("office")
        #expect(try site.utunctl("stop", "office").status == 0)
        let before = try Kernel.snapshot()
        let host = try site.utunctl(
            "--json", "start", "--foreground", "--origin", "ondemand", "office")
        #expect(host.status == 7, "\(host)")
        #expect(host.json?.value("error.code") == .string("onDemandHeld"))
        #expect(try Kernel.snapshot() == before)
        let identifier = try site.identifier(of: "office")
        #expect(site.read("run/utunctl/\(identifier).lock") == nil)
    }

    @Test func aPauseOfAllRefusesToo() throws {
        let site = try Installation()
        try site.save("office")
        try site.write(
            #"{"since": "2026-01-01T00:00:00Z", "origin": "user"}"#,
            to: "run/utunctl/ondemand.pause", mode: 0o640)
        let start = try site.utunctl("--json", "start", "--origin", "ondemand", "office")
        #expect(start.status == 7, "\(start)")
        #expect(start.json?.value("error.code") == .string("onDemandHeld"))
        #expect(
            start.json?.value("error.hint")
                == .string("utunctl ondemand resume, or utunctl start office"))
        #expect(
            try site.utunctl("start", "--foreground", "--origin=ondemand", "office").status == 7)
        // A person is refused nothing, and does not end the pause of the others.
        #expect(try site.utunctl("start", "--wait", "office").status == 0)
        #expect(site.read("run/utunctl/ondemand.pause") != nil)
    }

    @Test(arguments: 0..<6)
    func aStopInTheMiddleOfItsStartsWins(round: Int) throws {
        let site = try Installation()
        try site.save("office", "onDemand.enabled=false")
        var starts: [Command] = []
        for _ in 0..<4 {
            starts.append(try site.start("start", "--origin", "ondemand", "office"))
        }
        usleep(UInt32.random(in: 0...60_000))
        let stop = try site.start("stop", "office")
        for _ in 0..<4 {
            starts.append(try site.start("start", "--origin", "ondemand", "office"))
        }
        #expect(try stop.finish(seconds: 30).status == 0)
        #expect(try holds(site))
        for start in starts { _ = try start.finish(seconds: 60) }
        #expect(try Kernel.tunnels().isEmpty)
        #expect(try site.word("office") == "disconnected")
        #expect(try holds(site))
    }

    @Test func aTunnelThatRunsIsNotRestartedForWhatWasSaved() throws {
        let site = try Installation()
        try site.save("office")
        #expect(try site.utunctl("start", "--wait", "office").status == 0)
        let attempt = try site.status("office")["attempt"]
        #expect(try site.utunctl("start", "--origin", "ondemand", "office").status == 0)
        try site.save("office", "providerConfiguration.addresses=[\"10.77.0.2/24\"]")
        #expect(try site.utunctl("start", "--origin", "ondemand", "office").status == 12)
        #expect(try site.status("office")["attempt"] == attempt)
        #expect(try origin(site) == "user")
    }

    @Test func theNextTryOfWhatFailedIsItsOwnAndNotSystemds() throws {
        let site = try Installation()
        try site.save(
            "office", #"providerConfiguration.fail={"code": "serverNotResponding", "after": 50}"#)
        let host = try site.utunctl("start", "--foreground", "--origin", "ondemand", "office")
        #expect(host.status == 13, "\(host)")
        #expect(try site.utunctl("start", "--foreground", "office").status == 6)
    }

    /// What systemd does some seconds after a kill -9 of a session host.
    @Test func aUnitThatStartsAgainGoesOnForOnDemandAndIsHeldAsThat() throws {
        let site = try Installation()
        try site.save("office")
        #expect(try site.utunctl("start", "--origin", "ondemand", "office").status == 0)
        let pid = try #require(try Processes.all { $0.contains("--root=\(site.root)") }.first)
        kill(pid, SIGKILL)
        #expect(try eventually { try site.word("office") == "disconnected" })
        let again = try site.start(
            "start", "--foreground", "office", environment: ["INVOCATION_ID": "1"])
        #expect(try eventually { try site.word("office") == "connected" })
        #expect(try origin(site) == "ondemand")
        kill(again.pid, SIGKILL)
        _ = try again.finish()
        #expect(try site.utunctl("stop", "office").status == 0)
        let held = try Command.run(
            site.command(["--json", "start", "--foreground", "office"]),
            environment: ["INVOCATION_ID": "1"])
        #expect(held.status == 7, "\(held)")
    }

    @Test func aRemovalThatComesToNothingLeavesTheHoldAndSaysSo() throws {
        let site = try Installation()
        try site.save("office")
        #expect(try site.utunctl("start", "--wait", "office").status == 0)
        try site.save("office", "onDemand.enabled=true")
        let path = "\(site.root)/etc/utunctl"
        try Place.here.run("mount", "--bind", path, path)
        defer { _ = try? Command.run(["umount", "-l", path]) }
        try Place.here.run("mount", "-o", "remount,bind,ro", path)
        let remove = try site.utunctl("remove", "office")
        #expect(remove.status != 0, "\(remove)")
        #expect(remove.errors.contains("On Demand leaves it alone until it is started"))
        #expect(try holds(site))
    }
}
