import Glibc
import JSON
import TestSupport
import Testing

/// A peer that dies behind an idle tunnel: the word must change, without a restart or a packet.
@Suite(
    .serialized,
    .enabled("\(PrivateNamespace.requirement)") { try PrivateNamespace.isPresent })
struct LivenessTests {
    @Test func anIdleTunnelRenewsItsProof() throws {
        let site = try InteropSite(.utunctl) {
            $0.hasRelay = true
            $0.settings = ["livenessInterval=1"]
        }
        let first = try site.tunnel.status
        // The interval is shorter than the five seconds between two initiations.
        #expect(
            try eventually(seconds: 12) { try site.wire.count(.initiation, .towardFar) >= 3 })
        let later = try site.tunnel.status
        #expect(later["status"] == .string("connected"))
        let times = [first, later].compactMap { $0["lastVerified"]?.string }
        #expect(times.count == 2 && times[0] < times[1])
        #expect(later["connectedSince"] == first["connectedSince"])
        #expect(try site.tunnel.site.utunctl("status", "office").status == 0)
    }

    @Test func anIdleTunnelWhosePeerDiesIsNotConnected() throws {
        let site = try InteropSite(.utunctl) { $0.settings = ["livenessInterval=1"] }
        let tunnel = try site.tunnel
        // A second tunnel, to the same host, that nothing may disturb.
        let bystander = try Self.bystander(of: site)
        site.far.stop()
        // Five seconds until the proof is asked for, fifteen for the answer that does not come.
        let (isTold, seconds) = try timed {
            try eventually(seconds: 23) { try tunnel.word == "reasserting" }
        }
        #expect(isTold && seconds > 10, "\(seconds)")
        #expect(try tunnel.site.utunctl("status", "office").status == 5)
        let verified = try tunnel.status["lastVerified"]
        #expect(verified?.string != nil)
        #expect(try bystander.near.word == "connected")
        #expect(try bystander.near.status["counters"] == bystander.counters)

        try site.restartFar()
        #expect(try eventually(seconds: 7) { try tunnel.word == "connected" })
        #expect(try tunnel.status["lastVerified"] != verified)
        #expect(try Echoes.run(to: InteropSite.farAddress, count: 3).received == 3)
        withExtendedLifetime(bystander.far) {}
    }

    @Test func trafficThatGetsNoAnswerShowsIt() throws {
        let site = try InteropSite(.utunctl) { $0.hasRelay = true }
        let tunnel = try site.tunnel
        try site.wire.set(.cut)
        let echoes = try Echoes(to: InteropSite.farAddress, count: 200, every: 0.5)
        // Ten seconds and five until the handshake, fifteen until it counts as unanswered.
        #expect(try eventually(seconds: 35) { try tunnel.word == "reasserting" })
        try site.wire.set(.none)
        #expect(try eventually(seconds: 7) { try tunnel.word == "connected" })
        #expect(try Echoes.run(to: InteropSite.farAddress, count: 3).received == 3)
        withExtendedLifetime(echoes) {}
    }

    private struct Bystander {
        let near: EnrolledTunnel
        let far: WireGuardGo
        let counters: JSONValue?
    }

    private static func bystander(of site: InteropSite) throws -> Bystander {
        let keys = (near: try WireGuardKey(), far: try WireGuardKey())
        let far = try WireGuardGo(
            WireGuardFile(
                key: keys.far, listenPort: 51821, addresses: ["10.81.0.2/24"],
                peers: [
                    WireGuardFile.Peer(keys.near.publicKey, allowedIPs: ["10.81.0.1/32"])
                ]),
            interface: "wg1", at: site.host.place)
        let near = try EnrolledTunnel(
            WireGuardFile(
                key: keys.near, addresses: ["10.81.0.1/24"],
                peers: [
                    WireGuardFile.Peer(
                        keys.far.publicKey, endpoint: "\(site.host.v4):51821",
                        allowedIPs: ["10.81.0.2/32"])
                ]),
            named: "bystander", at: try site.tunnel.site)
        try near.connect()
        guard try Echoes.run(to: "10.81.0.2", count: 3).received == 3 else {
            throw Unexpected("the bystander does not run")
        }
        return Bystander(near: near, far: far, counters: try near.status["counters"])
    }
}
