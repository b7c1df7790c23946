import Glibc
import JSON
import LinuxSystem
import TestSupport
import Testing

/// What a start whose tunnel fails leaves behind, and says of it.
@Suite(
    .serialized,
    .enabled("\(PrivateNamespace.requirement)") { try PrivateNamespace.isPresent })
struct FailedStartTests {
    private func blocking(_ code: String) throws -> Installation {
        let site = try Installation()
        try site.save(
            "office", "routing.includeAllNetworks=true",
            "providerConfiguration.fail={\"code\":\"\(code)\"}")
        return site
    }

    @Test func orStopLeavesNoBlockOfAStartThatFailed() throws {
        let site = try blocking("noNetwork")
        let before = try Kernel.snapshot()
        let start = try site.utunctl("start", "--wait", "--or-stop", "office")
        #expect(start.status == 6, "\(start)")
        #expect(try Kernel.snapshot() == before)
        #expect(try site.lastDisconnect("office").code == "noNetwork")
    }

    @Test(arguments: ["start", "restart"])
    func aStartThatFailsTellsOfTheBlockThatStays(verb: String) throws {
        let site = try blocking("noNetwork")
        let start = try site.utunctl(verb, "--wait", "office")
        #expect(start.status == 6, "\(start)")
        #expect(
            start.errors.contains(
                "this host stays blocked, as routing.includeAllNetworks promises; utunctl stop"
                    + " office lifts that"), "\(start)")
        #expect(try site.utunctl("stop", "office").status == 0)
    }

    @Test func aBlockThatIsToBeThereAlwaysOutlivesOrStop() throws {
        let site = try blocking("noNetwork")
        try site.save("office", "routing.lockdown=always")
        let start = try site.utunctl("start", "--wait", "--or-stop", "office")
        #expect(start.status == 6, "\(start)")
        #expect(start.errors.contains("utunctl unblock office lifts it"), "\(start)")
        #expect(try site.utunctl("unblock", "office").status == 0)
    }

    @Test(arguments: [("noNetwork", 6), ("authenticationFailed", 13), ("trustAnchorMissing", 13)])
    func aManagerIsToldWhatNoFurtherTryMends(code: String, status: Int32) throws {
        let site = try Installation()
        try site.save("office", "providerConfiguration.fail={\"code\":\"\(code)\"}")
        let host = try site.start("start", "--foreground", "office")
        let end = try host.finish()
        #expect(end.status == status, "\(end)")
        #expect(try site.utunctl("start", "--wait", "office").status == 6)
    }

    @Test func anOptionThatTheProviderDoesNotKnowIsRefused() throws {
        let site = try Installation()
        try site.save("office")
        for option in ["hangOnStrat=true", "hangOnStart=maybe"] {
            let start = try site.utunctl("start", "--wait", "--option", option, "office")
            #expect(start.status == 6 && start.errors.contains(option), "\(start)")
        }
    }

    @Test func whatIsSavedMeanwhileDoesNotShortenAStop() throws {
        let site = try Installation()
        try site.save("office", "stopTimeout=8", "providerConfiguration.ignoreStop=true")
        #expect(try site.utunctl("start", "--wait", "office").status == 0)
        try site.save("office", "stopTimeout=1")
        let stop = try site.utunctl("stop", "office")
        #expect(stop.status == 0)
        // By its host, which came to its end, and not by force against that.
        #expect(try site.lastDisconnect("office").code == "stoppedByUser")
        #expect(
            try site.read("run/utunctl/\(site.identifier(of: "office")).log")?
                .contains("disconnected: stoppedByUser") == true)
    }
}
