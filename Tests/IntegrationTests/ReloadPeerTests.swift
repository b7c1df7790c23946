import Glibc
import JSON
import LinuxSystem
import TestSupport
import Testing

import struct TunnelModel.Timestamp

/// Peers of WireGuard come, go and change while the others notice nothing of it.
@Suite(
    .serialized,
    .enabled("\(PrivateNamespace.requirement)") { try PrivateNamespace.isPresent })
struct ReloadPeerTests {
    static let secondAddress = "10.79.0.3"

    /// A second host behind the tunnel, which nobody of this one speaks to yet.
    private final class SecondPeer {
        let host: FarHost
        let key: WireGuardKey
        let end: WireGuardGo
        let presharedKey: String?

        init(_ site: InteropSite, presharedKey: String? = nil) throws {
            host = try FarHost(number: 1)
            key = try WireGuardKey()
            self.presharedKey = presharedKey
            end = try WireGuardGo(
                WireGuardFile(
                    key: key, listenPort: Int(InteropSite.port),
                    addresses: ["\(secondAddress)/24"],
                    peers: [
                        WireGuardFile.Peer(
                            site.nearFile.key.publicKey, presharedKey: presharedKey,
                            allowedIPs: ["\(InteropSite.nearAddress)/32"])
                    ]), at: host.place)
        }

        /// As this host knows it.
        var peer: WireGuardFile.Peer {
            WireGuardFile.Peer(
                key.publicKey, presharedKey: presharedKey,
                endpoint: "\(host.v4):\(InteropSite.port)",
                allowedIPs: ["\(secondAddress)/32", "10.80.0.0/24"])
        }
    }

    private func reload(_ tunnel: EnrolledTunnel, with file: WireGuardFile) throws
        -> Command.Result
    {
        try tunnel.replace(with: file)
        try tunnel.site.save(tunnel.name, "interface.mtu=1420")
        return try tunnel.site.utunctl("reload", tunnel.name, "--json")
    }

    private func peers(_ tunnel: EnrolledTunnel) throws -> [JSONObject] {
        try tunnel.site.status(tunnel.name).value("provider.report.peers")?.array?
            .compactMap(\.object) ?? []
    }

    /// When the last handshake was; from one report to the next it is worked out anew, so that the
    /// microseconds may differ.
    private func handshake(_ peer: JSONObject) throws -> Int64 {
        let text = try #require(peer["lastHandshake"]?.string)
        return try #require(Timestamp(text)).microseconds
    }

    private func bytes(_ peer: JSONObject?, _ key: String) -> Int64 {
        peer?[key]?.integer ?? -1
    }

    @Test(arguments: [false, true])
    func aPeerComesAndGoesAndTheOtherLosesNothing(hasPresharedKey: Bool) throws {
        let site = try InteropSite(.utunctl)
        let tunnel = try site.tunnel
        let second = try SecondPeer(
            site, presharedKey: hasPresharedKey ? try WireGuardKey.preshared() : nil)
        #expect(try Echoes.run(to: InteropSite.farAddress, count: 5).lost == 0)
        let before = try tunnel.site.status(tunnel.name)
        let first = try #require(try peers(tunnel).first)
        let echoes = try Echoes(to: InteropSite.farAddress, count: 100, every: 0.1)
        for round in 0..<3 {
            var wider = site.nearFile
            wider.peers.append(second.peer)
            let added = try reload(tunnel, with: wider)
            #expect(added.status == 0, "\(added)\n\(tunnel.log)")
            #expect(
                added.output.contains(#""providerConfiguration.peers""#), "\(added)")
            #expect(try Echoes.arrive(at: Self.secondAddress), "\(round)")
            #expect(try Kernel.interface(to: "10.80.0.7") == tunnel.interface)
            #expect(try peers(tunnel).count == 2)
            #expect(try eventually { try tunnel.site.utunctl("status", tunnel.name).status == 0 })
            let removed = try reload(tunnel, with: site.nearFile)
            #expect(removed.status == 0, "\(removed)\n\(tunnel.log)")
            #expect(try peers(tunnel).count == 1)
            #expect(try Kernel.interface(to: "10.80.0.7") != tunnel.interface)
            #expect(!(try Echoes.arrive(at: Self.secondAddress, within: 0.3)))
        }
        #expect(try echoes.finish().lost == 0)
        let last = try #require(try peers(tunnel).first)
        #expect(try handshake(last) - handshake(first) < 1000)
        #expect(bytes(last, "receivedBytes") > bytes(first, "receivedBytes") + 100 * 100)
        #expect(bytes(last, "sentBytes") > bytes(first, "sentBytes") + 100 * 100)
        let after = try tunnel.site.status(tunnel.name)
        for key in ["attempt", "provider.pid", "interface.index", "counters.countsFrom"] {
            #expect(after.value(key) == before.value(key), "\(key)")
        }
        #expect(after["restartReasons"] == .array([]))
        #expect(after["status"] == .string("connected"))
    }

    @Test func networksGoFromOnePeerToAnother() throws {
        let site = try InteropSite(.utunctl)
        let tunnel = try site.tunnel
        let second = try SecondPeer(site)
        try site.host.place.run("ip", "address", "add", "10.80.0.7/32", "dev", "lo")
        try second.host.place.run("ip", "address", "add", "10.80.0.7/32", "dev", "lo")
        var file = site.nearFile
        file.peers.append(second.peer)
        #expect(try reload(tunnel, with: file).status == 0)
        #expect(try Echoes.arrive(at: "10.80.0.7"))
        let echoes = try Echoes(to: InteropSite.farAddress, count: 40, every: 0.1)
        let others = try Echoes(to: Self.secondAddress, count: 40, every: 0.1)
        let count = try Kernel.received(by: "wg0", at: site.host.place)
        file.peers[1].allowedIPs.removeLast()
        file.peers[0].allowedIPs.append("10.80.0.0/24")
        let moved = try reload(tunnel, with: file)
        #expect(moved.status == 0, "\(moved)")
        #expect(try Echoes.run(to: "10.80.0.7", count: 20).received == 20)
        #expect(try Kernel.received(by: "wg0", at: site.host.place) >= count + 20)
        #expect(try echoes.finish().lost == 0)
        #expect(try others.finish().lost == 0)
    }

    @Test func aPeerIsSoughtAtItsNewAddress() throws {
        let site = try InteropSite(.utunctl)
        let tunnel = try site.tunnel
        #expect(try Echoes.arrive(at: InteropSite.farAddress))
        let handshake = try peers(tunnel).first?["lastHandshake"]
        sleep(1)
        var file = site.nearFile
        file.peers[0].endpoint = "[\(site.host.v6)]:\(InteropSite.port)"
        #expect(try reload(tunnel, with: file).status == 0)
        #expect(
            try eventually {
                try peers(tunnel).first?["endpoint"]
                    == .string("[\(site.host.v6)]:\(InteropSite.port)")
            })
        #expect(try eventually { try peers(tunnel).first?["lastHandshake"] != handshake })
        #expect(try Echoes.run(to: InteropSite.farAddress, count: 5).lost == 0)
        let near = try site.far.show("endpoints")[site.nearFile.key.publicKey]
        #expect(near?.hasPrefix("[\(site.host.nearV6)]") == true, "\(near ?? "")")
    }

    @Test(arguments: ["private key", "port", "address"])
    func whatTheDeviceWasMadeWithNeedsARestart(what: String) throws {
        let site = try InteropSite(.utunctl)
        let tunnel = try site.tunnel
        let second = try SecondPeer(site)
        #expect(try Echoes.arrive(at: InteropSite.farAddress))
        // What the cable has to find out is no change of ours.
        #expect(
            try eventually {
                try Place.here.run("ip", "-6", "addr", "show", "tentative").isEmpty
            })
        let before = try Kernel.snapshot()
        var file = site.nearFile
        file.peers.append(second.peer)
        let key: String
        switch what {
        case "private key":
            file.key = try WireGuardKey()
            key = "credentials.privateKey"
        case "port":
            file.listenPort = 51821
            key = "providerConfiguration.listenPort"
        default:
            file.addresses.append("10.77.0.1/24")
            key = "providerConfiguration.addresses"
        }
        let echoes = try Echoes(to: InteropSite.farAddress, count: 20, every: 0.05)
        let refused = try reload(tunnel, with: file)
        #expect(refused.status == 12, "\(refused)")
        #expect(refused.output.contains("a restart is needed for: \(key); nothing was changed"))
        #expect(try echoes.finish().lost == 0)
        #expect(try Kernel.snapshot() == before)
        #expect(try peers(tunnel).count == 1)
        #expect(try tunnel.site.status(tunnel.name)["restartNeeded"] == .bool(true))
    }

    @Test func behindAKillSwitchItsPacketsGetOut() throws {
        let site = try InteropSite(.utunctl) { plan in
            plan.settings = ["routing.includeAllNetworks=true"]
            plan.change = { near, _ in near.peers[0].allowedIPs = ["0.0.0.0/0", "::/0"] }
        }
        let tunnel = try site.tunnel
        let second = try SecondPeer(site)
        try tunnel.site.write("\(second.host.v4) second.example\n", to: "etc/hosts")
        #expect(try Echoes.arrive(at: InteropSite.farAddress))
        #expect(!(try Echoes.arrive(at: second.host.v4, within: 0.3)))
        let echoes = try Echoes(to: InteropSite.farAddress, count: 50, every: 0.1)
        var file = site.nearFile
        var peer = second.peer
        peer.endpoint = "second.example:\(InteropSite.port)"
        file.peers.append(peer)
        try tunnel.replace(with: file)
        try tunnel.site.save(
            tunnel.name, "interface.mtu=1420", "routing.includeAllNetworks=true",
            "routing.lockdown=always")
        let reload = try tunnel.site.utunctl("reload", tunnel.name, "--json")
        #expect(reload.status == 0, "\(reload)\n\(tunnel.log)")
        #expect(try Echoes.arrive(at: Self.secondAddress))
        let rules = try Place.here.run("nft", "list", "ruleset")
        #expect(rules.contains(second.host.v4) && rules.contains(site.host.v4))
        #expect(rules.contains("always"))
        // Nothing else gets out that did not before.
        #expect(!(try Echoes.arrive(at: second.host.v4, within: 0.3)))
        try tunnel.replace(with: site.nearFile)
        try tunnel.site.save(
            tunnel.name, "interface.mtu=1420", "routing.includeAllNetworks=true",
            "routing.lockdown=session")
        #expect(try tunnel.site.utunctl("reload", tunnel.name).status == 0)
        #expect(!(try Place.here.run("nft", "list", "ruleset")).contains(second.host.v4))
        #expect(try echoes.finish().lost == 0)
        #expect(try tunnel.site.utunctl("status", tunnel.name).status == 0)
        #expect(try tunnel.site.utunctl("stop", tunnel.name).status == 0)
        #expect(!(try Place.here.run("nft", "list", "ruleset")).contains("utunctl"))
    }
}
