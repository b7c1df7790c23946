import JSON
import TestSupport
import Testing

/// What the status says of the peers of a tunnel.
@Suite(
    .serialized,
    .enabled("\(PrivateNamespace.requirement)") { try PrivateNamespace.isPresent })
struct PeerStatusTests {
    /// A provider that says of so many peers what a WireGuard provider does.
    private static func look(_ count: Int, verified: Int) -> String {
        """
        import time
        def stamp(age):
            return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() - age))
        peers = [{
            "name": f"office/peer{number}", "publicKey": "hSDwCYkwp1R0i33ctD73Wg2/Og0mOBr066SpjqqbTmo=",
            "endpoint": f"192.0.2.1:{5000 + number}", "endpointName": "vpn.example.org",
            "lastHandshake": stamp(number), "lastVerified": stamp(number),
            "verified": number < \(verified), "optional": False,
            "receivedBytes": 1000000 + number, "sentBytes": 2000000 + number,
            "allowedIPs": [f"10.0.{number // 256}.{number % 256}/32"], "persistentKeepalive": None,
        } for number in range(\(count))]
        global report
        report = {"peers": peers, "role": "client"}
        return report
        """
    }

    private func connected(_ count: Int, verified: Int) throws -> Installation {
        let site = try Installation()
        try site.installProbe(Self.look(count, verified: verified))
        try site.save("office", "provider=\(ProbeProvider.identifier)")
        #expect(try site.utunctl("start", "--wait", "office").status == 0)
        return site
    }

    private func lines(_ result: Command.Result) -> [String] {
        result.output.split(separator: "\n").map(String.init)
    }

    @Test func eachPeerHasALine() throws {
        let site = try connected(2, verified: 2)
        let status = try site.utunctl("status", "office")
        #expect(status.status == 0)
        let peers = lines(status).filter { $0.contains("peer:") }
        #expect(peers.count == 2)
        let first = peers.first ?? ""
        #expect(first.contains("office/peer0 at 192.0.2.1:5000 (vpn.example.org), handshake "))
        #expect(
            first.hasSuffix("by its own count received 1000000 bytes, sent 2000000"), "\(first)")
        let tunnel = try site.status("office")
        #expect(tunnel.value("provider.report.peers")?.array?.count == 2)
        #expect(tunnel.value("provider.peersLeftOut") == .integer(0))
        #expect(tunnel["warnings"] == .array([]))
    }

    @Test func aPeerThatProvesNothingDegradesTheTunnel() throws {
        let site = try connected(3, verified: 1)
        let status = try site.utunctl("status", "office")
        #expect(status.status == 5)
        #expect(
            status.output.contains(
                "peerUnverified: 2 of 3 peers proved nothing yet: office/peer1, office/peer2"),
            "\(status)")
        #expect(lines(status).count { $0.contains(", unproven,") } == 2)
        #expect(status.output.hasPrefix("office: connected, degraded"))
    }

    @Test func ofAThousandPeersTheAnswerStaysShort() throws {
        let site = try connected(1000, verified: 1000)
        let (named, seconds) = try timed {
            try Command.run(site.command(["status", "--json", "office"]))
        }
        #expect(named.status == 0)
        #expect(named.output.utf8.count < 4096, "\(named.output.utf8.count) bytes")
        #expect(seconds < aSecond)
        let tunnel = try site.status("office")
        #expect(tunnel.value("provider.report.peers")?.array?.count == 4)
        #expect(tunnel.value("provider.peersLeftOut") == .integer(996))
        let text = try site.utunctl("status", "office").output
        #expect(text.contains("peers:        996 more, see --peers"), "\(text)")

        let all = try Command.run(site.command(["status", "--json", "--peers", "office"]))
        let whole = try Installation.parse(all.output)["tunnels"]?.array?.first?.object
        #expect(whole?.value("provider.report.peers")?.array?.count == 1000)
        #expect(whole?.value("provider.peersLeftOut") == .integer(0))
        let lines = lines(try site.utunctl("status", "--peers", "office"))
        #expect(lines.count { $0.contains("peer:") } == 1000)
    }

    @Test func ofAThousandRoutesTheAnswerStaysShort() throws {
        let site = try Installation()
        let routes = (0..<1000).map { "\"10.\(64 + $0 / 250).\($0 % 250).0/24\"" }
        try site.save("office", "routing.includedRoutes=[\(routes.joined(separator: ","))]")
        #expect(try site.utunctl("start", "--wait", "office").status == 0)
        let named = try site.utunctl("status", "--json", "office")
        #expect(named.output.utf8.count < 4096, "\(named.output.utf8.count) bytes")
        let tunnel = try site.status("office")
        #expect(tunnel.value("interface.routes")?.array?.count == 32)
        guard case .integer(let left)? = tunnel.value("interface.routesLeftOut") else {
            throw Unexpected("\(named)")
        }
        let whole = try Installation.parse(
            try site.utunctl("status", "--json", "--peers", "office").output)["tunnels"]?.array?
            .first?.object
        #expect(whole?.value("interface.routes")?.array?.count == Int(left) + 32)
        #expect(whole?.value("interface.routesLeftOut") == .integer(0))
        // What is left out is not missing.
        #expect(tunnel["warnings"] == .array([]))
    }

    @Test func whereNobodyAsksForProofsTheTextSaysSinceWhenThereIsNone() throws {
        let site = try Installation()
        try site.save(
            "office", "providerConfiguration.stalePeer=400", "livenessInterval=null")
        #expect(try site.utunctl("start", "--wait", "office").status == 0)
        let status = try site.utunctl("status", "office")
        #expect(status.status == 0)
        #expect(status.output.contains("verified:     not since "), "\(status)")
        try site.save("office", "livenessInterval=120")
        let watched = try site.utunctl("status", "office")
        #expect(watched.output.contains("verified:     last "), "\(watched)")
        #expect(watched.output.contains("peerStale"), "\(watched)")
    }
}
