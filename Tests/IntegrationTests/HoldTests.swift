import Glibc
import JSON
import LinuxSystem
import TestSupport
import Testing

/// A person's stop is one that On Demand does not overrule, and nothing else is.
@Suite(
    .serialized,
    .enabled("\(PrivateNamespace.requirement)") { try PrivateNamespace.isPresent })
struct HoldTests {
    private func origin(_ site: Installation) throws -> String? {
        try site.status("office").value("hold.origin")?.string
    }

    private func holdFile(_ site: Installation) throws -> String {
        let identifier = try #require(try site.status("office")["identifier"]?.string)
        return "\(site.root)/run/utunctl/\(identifier).hold"
    }

    @Test func aStopByHandHoldsUntilTheNextStart() throws {
        let site = try Installation()
        try site.save("office")
        #expect(try origin(site) == nil)
        #expect(try site.utunctl("start", "--wait", "office").status == 0)
        #expect(try origin(site) == nil)
        #expect(try site.utunctl("stop", "office").status == 0)
        #expect(try origin(site) == "user")
        #expect(try site.utunctl("start", "--wait", "office").status == 0)
        #expect(try origin(site) == nil)
    }

    @Test func aStopOfWhatDoesNotRunHoldsToo() throws {
        let site = try Installation()
        try site.save("office", "onDemand.enabled=true")
        #expect(try site.utunctl("stop", "office").status == 0)
        let status = try site.utunctl("status", "office").output
        #expect(status.contains("On Demand leaves it alone until it is started"), "\(status)")
        #expect(try site.utunctl("status").output.contains(" hold"))
    }

    @Test func stoppingAllHoldsWhatOnDemandWouldStart() throws {
        let site = try Installation()
        try site.save("office", "onDemand.enabled=true")
        try site.save("other")
        #expect(try site.utunctl("stop", "--all").status == 0)
        #expect(try origin(site) == "user")
        #expect(try site.status("other")["hold"] == .null)
    }

    @Test func theHoldIsThereBeforeTheTunnelHasEnded() throws {
        let site = try Installation()
        try site.save("office", "providerConfiguration.ignoreStop=true")
        #expect(try site.utunctl("start", "--wait", "office").status == 0)
        #expect(try site.utunctl("stop", "--no-wait", "office").status == 0)
        #expect(try site.status("office")["status"] == .string("disconnecting"))
        #expect(try origin(site) == "user")
    }

    @Test func aSignalToTheHostIsAStopByHand() throws {
        let site = try Installation()
        try site.save("office")
        let host = try site.start("start", "--foreground", "office")
        while try site.word("office") != "connected" { usleep(2000) }
        host.signal(SIGTERM)
        #expect(try host.finish().status == 0)
        #expect(try origin(site) == "user")
    }

    @Test func aStartThatIsRefusedLiftsNothing() throws {
        let site = try Installation()
        try site.save("office", "enabled=false")
        #expect(try site.utunctl("stop", "office").status == 0)
        #expect(try site.utunctl("start", "office").status == 7)
        #expect(try origin(site) == "user")
    }

    @Test func neitherARestartNorTheEndOfARunHolds() throws {
        let site = try Installation()
        try site.save("office")
        #expect(try site.utunctl("start", "--wait", "office").status == 0)
        #expect(try site.utunctl("restart", "--wait", "office").status == 0)
        #expect(try origin(site) == nil)
        #expect(try site.utunctl("stop", "office").status == 0)
        #expect(try site.utunctl("run", "office", "--", "true").status == 0)
        #expect(try origin(site) == nil)
        #expect(try site.lastDisconnect("office").code == "commandEnded")
    }

    @Test func aStopIsDoneWhereTheHoldCannotBeSetAndSaysBoth() throws {
        let site = try Installation()
        try site.save("office")
        #expect(try site.utunctl("start", "--wait", "office").status == 0)
        try site.save("office", "onDemand.enabled=true")
        // No file can take the place of a directory.
        try Directory.create(holdFile(site), mode: 0o755)
        let stop = try site.utunctl("--json", "stop", "office")
        #expect(stop.status == 1, "\(stop)")
        #expect(stop.json?.value("error.code") == .string("holdNotSet"))
        #expect(try site.word("office") == "disconnected")
        // Where nothing would start it, nothing is missing.
        try site.save("office", "onDemand.enabled=false")
        #expect(try site.utunctl("stop", "office").status == 0)
    }

    @Test func aHoldThatCannotBeReadIsAHold() throws {
        let site = try Installation()
        try site.save("office")
        #expect(try site.utunctl("stop", "office").status == 0)
        let file = try holdFile(site)
        for text in ["", "{", "{\"origin\": \"nobody\"}", "[]"] {
            try AtomicFile.replace(file, with: Array(text.utf8), mode: 0o640)
            let hold = try site.status("office")["hold"]?.object
            #expect(hold?["since"] == .null && hold?["origin"] == .null, "\(text)")
        }
        #expect(try site.utunctl("start", "--wait", "office").status == 0)
        #expect(try site.status("office")["hold"] == .null)
    }

    @Test func theHoldGoesWithItsConfiguration() throws {
        let site = try Installation()
        try site.save("office")
        #expect(try site.utunctl("stop", "office").status == 0)
        let file = try holdFile(site)
        var status = stat()
        #expect(lstat(file, &status) == 0)
        // It is for the group, where there is that, and for nobody else.
        let mode: mode_t = Account.group(named: "utunctl") == nil ? 0o600 : 0o640
        #expect(status.st_mode & 0o777 == mode, "\(String(status.st_mode, radix: 8))")
        #expect(try site.utunctl("remove", "office").status == 0)
        #expect(!Directory.holds(file))
    }
}
