import JSON
import TestSupport
import Testing

/// The main path, end to end: what is saved is started, carries packets, is told of truly and
/// is stopped without a trace.
@Suite(
    .serialized,
    .enabled("\(PrivateNamespace.requirement)") { try PrivateNamespace.isPresent })
struct LifeCycleTests {
    @Test func aTunnelCarriesPacketsAndLeavesNothing() throws {
        let site = try Installation()
        try site.save("office", #"providerConfiguration.addresses=["10.99.0.1/30","fd99::1/126"]"#)
        let before = try Kernel.snapshot()

        let start = try site.utunctl("start", "--wait", "office")
        #expect(start.status == 0, "\(start)")
        #expect(start.output == "office: connected (utun0)\n")
        #expect(start.errors.isEmpty)
        for peer in ["10.99.0.2", "fd99::2"] {
            let ping = try Command.run(["ping", "-c", "3", "-i", "0.01", "-W", "2", peer])
            #expect(ping.status == 0, "\(ping)")
        }
        let status = try site.status("office")
        #expect(status["status"] == .string("connected"))
        #expect(status["warnings"] == .array([]))

        let stop = try site.utunctl("stop", "office")
        #expect(stop.status == 0, "\(stop)")
        #expect(stop.output == "office: stopped\n")
        #expect(try Kernel.snapshot() == before)
        #expect(try site.utunctl("status", "office").status == 3)
        let last = try site.status("office")["lastDisconnect"]?.object
        #expect(last?["code"] == .string("stoppedByUser"))
    }

    @Test func acceptedIsNotConnected() throws {
        let site = try Installation()
        try site.save("slow", "providerConfiguration.hangOnStart=true")
        let start = try site.utunctl("start", "slow")
        #expect(start.status == 0)
        #expect(start.output == "slow: accepted, NOT connected yet (utun0)\n")
        #expect(try site.status("slow")["status"] == .string("connecting"))
        #expect(try site.utunctl("status", "slow").status == 5)
        #expect(try site.utunctl("stop", "slow").status == 0)
    }

    @Test func twoTunnelsRunSideBySideAndStopTakesTheOneItNames() throws {
        let site = try Installation()
        try site.save("one")
        try site.save("two")
        #expect(try site.utunctl("start", "--wait", "one").status == 0)
        #expect(try site.utunctl("start", "--wait", "two").status == 0)
        let two = try site.status("two")
        #expect(try site.utunctl("stop", "one").status == 0)
        #expect(try site.utunctl("status", "one").status == 3)
        #expect(try site.utunctl("status", "two").status == 0)
        let after = try site.status("two")
        #expect(after["attempt"] == two["attempt"])
        #expect(after["interface"] == two["interface"])
        #expect(try site.utunctl("stop", "--all").status == 0)
        #expect(try Kernel.tunnels().isEmpty)
    }

    @Test func stopOfAStoppedTunnelIsSuccessEachTime() throws {
        let site = try Installation()
        try site.save("office")
        for _ in 0..<2 {
            let stop = try site.utunctl("stop", "office")
            #expect(stop.status == 0)
            #expect(stop.errors == "utunctl: office: it does not run\n")
        }
    }

    @Test func afterAStopNothingOfTheSessionIsShownAsCurrent() throws {
        let site = try Installation()
        try site.save("office")
        #expect(try site.utunctl("start", "--wait", "office").status == 0)
        #expect(try site.utunctl("stop", "office").status == 0)
        let status = try site.status("office")
        for key in ["interface", "counters", "provider", "connectedSince", "attempt"] {
            #expect(status[key] == .null, "\(key)")
        }
    }
}
