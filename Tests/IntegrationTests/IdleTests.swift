import Glibc
import JSON
import TestSupport
import Testing

/// `idleTimeout`: a tunnel that nobody uses comes to its end, or goes back to waiting.
@Suite(
    .serialized,
    .enabled("\(PrivateNamespace.requirement)") { try PrivateNamespace.isPresent })
struct IdleTests {
    private static let addresses = #"providerConfiguration.addresses=["10.78.0.1/24"]"#
    private static let peer = "10.78.0.2"

    private func site(_ settings: String...) throws -> Installation {
        let site = try Installation()
        for setting in [Self.addresses] + settings { try site.save("office", setting) }
        return site
    }

    @Test func aTunnelThatNobodyUsesEnds() throws {
        let site = try site("idleTimeout=1")
        #expect(try site.utunctl("start", "--wait", "office").status == 0)
        #expect(try eventually { try site.word("office") == "disconnected" })
        let last = try site.lastDisconnect("office")
        #expect(last.code == "idle")
        #expect(last.text == "nothing went through it for 1 s")
        // Nobody has stopped it, and nothing has failed.
        #expect(try site.status("office")["hold"] == .null)
    }

    @Test func oneThatIsUsedGoesOn() throws {
        let site = try site("idleTimeout=1")
        #expect(try site.utunctl("start", "--wait", "office").status == 0)
        let echoes = try Echoes.run(to: Self.peer, count: 30, every: 0.1)
        #expect(echoes.lost == 0)
        #expect(try site.word("office") == "connected")
    }

    @Test func withoutOneNothingIsEverTooQuiet() throws {
        let site = try site()
        #expect(try site.utunctl("start", "--wait", "office").status == 0)
        sleep(2)
        #expect(try site.word("office") == "connected")
    }

    @Test func whatWaitedForTrafficDoesSoAgainAndLosesNothing() throws {
        let site = try site("idleTimeout=1")
        #expect(try site.utunctl("start", "--when", "traffic", "office").status == 0)
        #expect(try eventually { try site.word("office") == "waiting" })
        let attempt = try site.status("office")["attempt"]
        let index = try site.interfaceIndex("office")
        for _ in 0..<3 {
            #expect(try Echoes.run(to: Self.peer, count: 1, wait: 5).received == 1)
            #expect(try eventually { try site.word("office") == "connected" })
            #expect(try eventually { try site.word("office") == "waiting" })
            #expect(
                try eventually { try site.status("office").value("provider.pid") == .null })
            #expect(try site.lastDisconnect("office").code == "idle")
            let last = try site.status("office")["lastDisconnect"]?.object
            #expect(last?["time"]?.string != nil)
        }
        #expect(try site.status("office")["attempt"] == attempt)
        #expect(try site.interfaceIndex("office") == index)
        let text = try site.utunctl("status", "office").output
        #expect(text.contains("nothing went through it for 1 s; the next packet"), "\(text)")
    }

    /// Whatever moment of the end of its provider the packets meet.
    @Test func packetsThatComeWhileItsProviderEndsWakeTheNextOne() throws {
        let site = try site("idleTimeout=1", "providerConfiguration.ignoreStop=true")
        #expect(try site.utunctl("start", "--when", "traffic", "office").status == 0)
        #expect(try eventually { try site.word("office") == "waiting" })
        #expect(try Echoes.run(to: Self.peer, count: 1, wait: 5).received == 1)
        #expect(try eventually { try site.word("office") == "connected" })
        let first = try site.status("office").value("provider.pid")
        #expect(try eventually { try site.word("office") == "waiting" })
        let start = try site.utunctl("start", "--wait", "--timeout", "40", "office")
        #expect(start.status == 0, "\(start)")
        #expect(try site.status("office").value("provider.pid") != first)
    }

    @Test func aStopWhileItsProviderEndsIsAStop() throws {
        let site = try site(
            "idleTimeout=1", "stopTimeout=2", "providerConfiguration.ignoreStop=true")
        let before = try Kernel.snapshot()
        #expect(try site.utunctl("start", "--when", "traffic", "office").status == 0)
        #expect(try site.utunctl("start", "--wait", "office").status == 0)
        #expect(try eventually { try site.word("office") == "waiting" })
        #expect(try site.utunctl("stop", "office").status == 0)
        #expect(try Kernel.snapshot() == before)
        #expect(try site.lastDisconnect("office").code == "stoppedByUser")
    }

    @Test func aReloadSetsAndLiftsIt() throws {
        let site = try site()
        #expect(try site.utunctl("start", "--wait", "office").status == 0)
        try site.save("office", "idleTimeout=3600")
        #expect(try site.utunctl("reload", "office").status == 0)
        try site.save("office", "idleTimeout=null")
        #expect(try site.utunctl("reload", "office").status == 0)
        #expect(try site.status("office")["restartNeeded"] == .bool(false))
        #expect(try site.word("office") == "connected")
        try site.save("office", "idleTimeout=1")
        #expect(try site.utunctl("reload", "office").status == 0)
        #expect(try eventually { try site.word("office") == "disconnected" })
        #expect(try site.lastDisconnect("office").code == "idle")
    }

    /// A provider keeps its connection open by itself, and nobody uses it all the same.
    @Test func keepalivesOfTheProviderAreNoTraffic() throws {
        let interop = try InteropSite(.utunctl) {
            $0.starts = false
            $0.hasRelay = true
            $0.nearKeepalive = 1
            $0.settings = ["idleTimeout=3"]
        }
        let tunnel = try interop.tunnel
        try tunnel.connect()
        #expect(try eventually(seconds: 10) { try tunnel.word == "disconnected" })
        #expect(try interop.wire.record(.towardFar).keepalives >= 2)
        #expect(try tunnel.site.lastDisconnect(tunnel.name).code == "idle")
    }
}
