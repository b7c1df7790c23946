import Glibc
import JSON
import TestSupport
import Testing

/// One end with two clients, each on a host of its own.
@Suite(
    .serialized,
    .enabled("\(PrivateNamespace.requirement)") { try PrivateNamespace.isPresent })
struct ServerRoleTests {
    private final class Site {
        let hosts: [FarHost]
        let clients: [WireGuardGo]
        let files: [WireGuardFile]
        let file: WireGuardFile
        let server: any WireGuardEnd

        init(_ program: InteropSite.Program) throws {
            let keys = (
                server: try WireGuardKey(), clients: try (0..<2).map { _ in try WireGuardKey() }
            )
            hosts = [try FarHost(number: 0), try FarHost(number: 1)]
            files = zip(hosts, keys.clients).enumerated().map { number, client in
                WireGuardFile(
                    key: client.1, addresses: ["10.79.0.\(number + 2)/24"],
                    peers: [
                        WireGuardFile.Peer(
                            keys.server.publicKey, endpoint: "\(client.0.nearV4):51820",
                            allowedIPs: ["10.79.0.0/24"])
                    ])
            }
            file = WireGuardFile(
                key: keys.server, listenPort: 51820, addresses: ["10.79.0.1/24"],
                peers: keys.clients.enumerated().map { number, key in
                    WireGuardFile.Peer(key.publicKey, allowedIPs: ["10.79.0.\(number + 2)/32"])
                })
            switch program {
            case .wireguardGo: server = try WireGuardGo(file)
            case .utunctl:
                let tunnel = try EnrolledTunnel(file, at: Installation())
                try tunnel.connect()
                server = tunnel
            }
            clients = try zip(files, hosts).map { try WireGuardGo($0, at: $1.place) }
        }
    }

    @Test(arguments: InteropSite.Program.all)
    func eachClientReachesTheServerAndIsReached(program: InteropSite.Program) throws {
        let site = try Site(program)
        for (number, host) in site.hosts.enumerated() {
            #expect(
                try Echoes.run(to: "10.79.0.1", count: 5, from: host.place).received == 5)
            #expect(try Echoes.run(to: "10.79.0.\(number + 2)", count: 5).received == 5)
        }
        guard let tunnel = site.server as? EnrolledTunnel else { return }
        let peers = try tunnel.status.peers
        #expect(peers.map { $0["verified"] } == [.bool(true), .bool(true)])
        #expect(
            peers.map { $0["publicKey"]?.string } == site.files.map(\.key.publicKey))
        let endpoints = peers.compactMap { $0["endpoint"]?.string }
        #expect(zip(endpoints, site.hosts).allSatisfy { $0.hasPrefix("\($1.v4):") })
        for peer in peers {
            #expect(peer["receivedBytes"]?.integer ?? 0 > 5 * 128)
            #expect(peer["sentBytes"]?.integer ?? 0 > 5 * 128)
        }
    }

    @Test(arguments: InteropSite.Program.all)
    func theClientsReachEachOtherWhereTheServerForwards(program: InteropSite.Program) throws {
        let site = try Site(program)
        let place = site.hosts[0].place
        #expect(try Echoes.run(to: "10.79.0.3", count: 2, from: place).received == 0)
        try Kernel.setForwarding(true)
        defer { try? Kernel.setForwarding(false) }
        // The first packet finds the way of the second client, whose handshake is still to come.
        #expect(try Echoes.arrive(at: "10.79.0.1", from: site.hosts[1].place))
        #expect(try Echoes.run(to: "10.79.0.3", count: 5, from: place).received == 5)
        let transfer = try Transfer.run(
            from: place, to: "10.79.0.3", at: site.hosts[1].place, bytes: 16 << 20)
        #expect(transfer.isWhole)
    }

    @Test(arguments: InteropSite.Program.all)
    func noClientSpeaksInAnothersName(program: InteropSite.Program) throws {
        let site = try Site(program)
        let place = site.hosts[0].place
        #expect(try Echoes.arrive(at: "10.79.0.1", from: place))
        let before = try Kernel.received(by: site.server.interface)
        try place.run("ip", "addr", "add", "10.79.0.3/32", "dev", "wg0")
        let count = try Echoes.run(
            to: "10.79.0.1", count: 5, options: ["-I", "10.79.0.3"], from: place)
        #expect(count.sent == 5 && count.received == 0)
        #expect(try Kernel.received(by: site.server.interface) == before)
        #expect(try Echoes.arrive(at: "10.79.0.1", from: place))
    }

    @Test func savingAnotherPeerDisturbsNobody() throws {
        let site = try Site(.utunctl)
        let tunnel = try #require(site.server as? EnrolledTunnel)
        #expect(try Echoes.arrive(at: "10.79.0.1", from: site.hosts[0].place))
        let before = try tunnel.status
        let echoes = try Echoes(
            to: "10.79.0.1", count: 20, every: 0.1, from: site.hosts[0].place)
        var file = site.file
        file.peers.append(
            WireGuardFile.Peer(WireGuardKey.publicKeyOfNobody(), allowedIPs: ["10.79.0.4/32"]))
        try tunnel.replace(with: file)
        let count = try echoes.finish()
        #expect(count.sent == 20 && count.lost == 0)
        let after = try tunnel.status
        #expect(after["restartNeeded"] == .bool(true))
        #expect(after["attempt"] == before["attempt"])
        #expect(after.value("counters.countsFrom") == before.value("counters.countsFrom"))
        #expect(after.peers.count == 2)
    }
}
