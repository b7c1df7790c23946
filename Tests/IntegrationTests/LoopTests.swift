import JSON
import TestSupport
import Testing

/// Starts that would do harm or wait without a word.
@Suite(
    .serialized,
    .enabled("\(PrivateNamespace.requirement)") { try PrivateNamespace.isPresent })
struct LoopTests {
    @Test func aRouteThatHoldsTheServerIsRefusedAndDoesNotLoop() throws {
        let site = try Installation()
        try site.save(
            "full", "serverAddress=203.0.113.5:9999", #"routing.includedRoutes=["0.0.0.0/0"]"#)
        let start = try site.utunctl("start", "--wait", "full")
        #expect(start.status == 6, "\(start)")
        #expect(start.errors.contains("networkSettingsRejected"))
        #expect(start.errors.contains("0.0.0.0/0 holds the server 203.0.113.5"), "\(start)")
        #expect(try Kernel.tunnels().isEmpty)
    }

    @Test func aServerOutsideTheRoutesIsNoLoop() throws {
        let site = try Installation()
        try site.save(
            "split", "serverAddress=203.0.113.5:9999",
            #"routing.includedRoutes=["198.51.100.0/24"]"#)
        #expect(try site.utunctl("start", "--wait", "split").status == 0)
        let interface = try site.status("split")["interface"]?.object
        #expect(interface?["routes"] == .array([.string("198.51.100.0/24")]))
        #expect(try site.utunctl("stop", "split").status == 0)
    }

    @Test func aRouteThatAnotherTunnelHasNamesThatTunnel() throws {
        let site = try Installation()
        for name in ["one", "two"] {
            try site.save(name, #"routing.includedRoutes=["198.51.100.0/24"]"#)
        }
        #expect(try site.utunctl("start", "--wait", "one").status == 0)
        let two = try site.utunctl("start", "--wait", "two")
        #expect(two.status == 6)
        #expect(two.errors.contains("utun0 has a route to 198.51.100.0/24 already"), "\(two)")
        #expect(try site.utunctl("stop", "one").status == 0)
    }

    @Test func aStartDuringALongStopKeepsItsTimeAndSaysWhatItWaitsFor() throws {
        let site = try Installation()
        try site.save("slow", "providerConfiguration.ignoreStop=true", "stopTimeout=30")
        #expect(try site.utunctl("start", "--wait", "slow").status == 0)
        #expect(try site.utunctl("stop", "--no-wait", "slow").status == 0)
        let start = try site.utunctl("start", "--wait", "--timeout", "0.5", "slow")
        #expect(start.status == 9, "\(start)")
        #expect(start.errors.contains("slow: the session before it is ending"), "\(start)")
        #expect(try site.utunctl("stop", "--timeout", "0.5", "slow").status == 0)
        #expect(try Kernel.tunnels().isEmpty)
    }

    @Test func optionsWithoutEffectAreAUsageError() throws {
        let site = try Installation()
        try site.save("office")
        for options in [["--timeout", "1"], ["--or-stop"], ["--foreground", "--wait"]] {
            let result = try Command.run(site.command(["start"] + options + ["office"]))
            #expect(result.status == 2, "\(options): \(result)")
        }
    }
}
