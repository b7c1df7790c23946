import Glibc
import JSON
import LinuxSystem
import TestSupport
import Testing

/// `connected` means that a peer has proved itself, and nothing less.
@Suite(
    .serialized,
    .enabled("\(PrivateNamespace.requirement)") { try PrivateNamespace.isPresent })
struct TruthfulStartTests {
    @Test func connectedIsSaidAfterTheHandshakeAndSoonAfterIt() throws {
        let site = try InteropSite(.utunctl) { $0.starts = false }
        #expect(try !site.handshakeIsDone())
        let (_, seconds) = try timed { try site.tunnel.connect() }
        // Without a single packet of anybody's having been sent through it.
        #expect(try site.handshakeIsDone())
        #expect(try Kernel.received(by: "wg0", at: site.host.place) == 0)
        #expect(seconds < 2)
        let status = try site.tunnel.status
        #expect(status["status"] == .string("connected"))
        #expect(status.value("provider.report.role") == .string("client"))
        let peer = try #require(status.peers.first)
        #expect(peer["name"] == .string("office/peer1"))
        #expect(peer["verified"] == .bool(true))
        #expect(peer["publicKey"] == .string(site.farFile.key.publicKey))
        #expect(peer["endpoint"] == .string("\(site.host.v4):\(InteropSite.port)"))
        #expect(peer["lastHandshake"]?.string != nil)
        #expect(status["lastVerified"]?.string != nil)
    }

    @Test func aPortThatAnotherProgramHasInOneFamilyEndsTheStart() throws {
        let site = try InteropSite(.utunctl) { $0.starts = false }
        let other = try DatagramSocket(at: "0.0.0.0", port: InteropSite.port)
        defer { withExtendedLifetime(other) {} }
        let start = try site.tunnel.site.utunctl("start", "--wait", "office")
        #expect(start.status == 6, "\(start)")
        #expect(start.errors.contains("another program has UDP port 51820 of IPv4"), "\(start)")
    }

    @Test func aSilentServerIsWaitedForAsLongAsWasSaidAndNoLonger() throws {
        let site = try InteropSite(.utunctl) {
            $0.hasRelay = true
            $0.starts = false
        }
        let tunnel = try site.tunnel
        try site.wire.set(.cut)
        let (start, seconds) = try timed {
            try tunnel.site.utunctl("start", "--wait", "--timeout", "3", "office")
        }
        #expect(start.status == 9, "\(start)")
        #expect((2.9...3.5).contains(seconds), "\(seconds)")
        #expect(try tunnel.word == "connecting")
        #expect(try tunnel.site.utunctl("status", "office").status == 5)
        // It goes on trying; the truth changes with the wire and without another word of ours.
        try site.wire.set(.none)
        #expect(try eventually(seconds: 6) { try tunnel.word == "connected" })
        #expect(try Echoes.run(to: InteropSite.farAddress, count: 3).received == 3)
    }

    @Test func aServerThatNeverAnswersIsTheReasonGiven() throws {
        let site = try InteropSite(.utunctl) {
            $0.hasRelay = true
            $0.starts = false
            $0.settings = ["startTimeout=2"]
        }
        try site.wire.set(.cut)
        let start = try site.tunnel.site.utunctl("start", "--wait", "office")
        #expect(start.status == 6, "\(start)")
        #expect(start.errors.contains("serverNotResponding"), "\(start)")
        #expect(try Kernel.tunnels().isEmpty)
    }

    @Test func whoOnlyListensIsConnectedOnceItDoes() throws {
        let site = try InteropSite(.utunctl) {
            $0.initiator = .far
            $0.starts = false
        }
        let (_, seconds) = try timed { try site.tunnel.connect() }
        #expect(seconds < 2)
        let status = try site.tunnel.status
        #expect(status.value("provider.report.role") == .string("listening"))
        #expect(status.value("provider.report.listenPort") == .integer(51820))
        #expect(status.peers.first?["verified"] == .bool(false))
        #expect(status.peers.first?["lastHandshake"] == .null)
        #expect(
            try Echoes.run(
                to: InteropSite.nearAddress, count: 1, from: site.host.place
            ).received == 1)
        #expect(try site.tunnel.status.peers.first?["verified"] == .bool(true))
    }

    @Test(arguments: [false, true])
    func aPeerThatDoesNotAnswerBesideOneThatDoesIsTold(isOptional: Bool) throws {
        let site = try InteropSite(.utunctl) {
            $0.starts = false
            $0.change = { near, _ in
                near.peers.append(
                    WireGuardFile.Peer(
                        WireGuardKey.publicKeyOfNobody(), endpoint: "192.0.2.9:51820",
                        allowedIPs: ["10.80.0.0/24"]))
            }
        }
        let tunnel = try site.tunnel
        if isOptional { try tunnel.setOptional(peer: 1) }
        try tunnel.connect()
        let isTold = try eventually(seconds: 20) {
            try tunnel.site.warnings("office").contains("peerUnverified")
        }
        #expect(isTold != isOptional)
        #expect(try tunnel.word == "connected")
        #expect(try tunnel.site.utunctl("status", "office").status == (isOptional ? 0 : 5))
    }
}

extension EnrolledTunnel {
    /// Its entry in `status --json`.
    var status: JSONObject {
        get throws { try site.status(name) }
    }

    /// Marks a peer, by its place in the configuration, as one that may be missing.
    func setOptional(peer: Int) throws {
        let saved = try site.json("load", name)["configurations"]?.array?.first?.object
        guard var configuration = saved?["providerConfiguration"]?.object,
            var peers = configuration["peers"]?.array, var changed = peers[peer].object
        else { throw Unexpected("no peers of \(name)") }
        changed["optional"] = .bool(true)
        peers[peer] = .object(changed)
        configuration["peers"] = .array(peers)
        let text = String(decoding: JSONWriter.line(JSONValue.object(configuration)), as: UTF8.self)
        let save = try site.utunctl("save", name, "--set", "providerConfiguration=\(text)")
        guard save.status == 0 else { throw Unexpected("save \(name): \(save)") }
    }
}

extension JSONObject {
    /// The peers in the report of a WireGuard provider.
    var peers: [JSONObject] {
        value("provider.report.peers")?.array?.compactMap(\.object) ?? []
    }
}
