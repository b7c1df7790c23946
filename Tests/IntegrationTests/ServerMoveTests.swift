import Glibc
import JSON
import LinuxSystem
import TestSupport
import Testing

/// A server that is known by name, and moves.
@Suite(
    .serialized,
    .enabled("\(PrivateNamespace.requirement)") { try PrivateNamespace.isPresent })
struct ServerMoveTests {
    private static let name = "vpn.example.org"

    private func site() throws -> InteropSite {
        try InteropSite(.utunctl) {
            $0.starts = false
            $0.settings = ["livenessInterval=1"]
            $0.change = { near, _ in
                near.peers[0].endpoint = "\(Self.name):\(InteropSite.port)"
            }
        }
    }

    @Test func theNewAddressIsLookedUpWhenTheOldOneFallsSilent() throws {
        let site = try site()
        let tunnel = try site.tunnel
        var names: NameService? = try NameService(
            tunnel.site, "\(Self.name),\(site.host.v4)")
        try tunnel.connect()
        var peer = try #require(try tunnel.status.peers.first)
        #expect(peer["endpointName"] == .string(Self.name))
        #expect(peer["endpoint"] == .string("\(site.host.v4):\(InteropSite.port)"))

        names = nil
        let moved = "192.0.2.3"
        names = try NameService(tunnel.site, "\(Self.name),\(moved)")
        let place = site.host.place
        try place.run("ip", "addr", "add", "\(moved)/28", "dev", site.host.farInterface)
        try place.run(
            "ip", "addr", "del", "\(site.host.v4)/28", "dev", site.host.farInterface)
        // The second address of a network goes with the first.
        try place.run("ip", "addr", "replace", "\(moved)/28", "dev", site.host.farInterface)
        #expect(try Echoes.arrive(at: InteropSite.farAddress, within: 60))
        peer = try #require(try tunnel.status.peers.first)
        #expect(peer["endpoint"] == .string("\(moved):\(InteropSite.port)"))
        #expect(peer["endpointName"] == .string(Self.name))
        #expect(try tunnel.word == "connected")
        withExtendedLifetime(names) {}
    }

    @Test func aLookUpThatFailsLeavesTheAddressThatIsKnown() throws {
        let site = try site()
        let tunnel = try site.tunnel
        var names: NameService? = try NameService(
            tunnel.site, "\(Self.name),\(site.host.v4)")
        try tunnel.connect()
        names = nil
        let place = site.host.place
        try place.run("ip", "link", "set", site.host.farInterface, "down")
        #expect(try eventually(seconds: 25) { try tunnel.word == "reasserting" })
        try place.run("ip", "link", "set", site.host.farInterface, "up")
        #expect(try eventually(seconds: 12) { try tunnel.word == "connected" })
        #expect(
            try tunnel.status.peers.first?["endpoint"]
                == .string("\(site.host.v4):\(InteropSite.port)"))
        _ = names
    }

    @Test func aNameWithoutAnAddressAtTheStartIsAskedForAgain() throws {
        let site = try InteropSite(.utunctl) {
            $0.starts = false
            $0.change = { near, _ in
                near.peers[0].endpoint = "\(Self.name):\(InteropSite.port)"
                // With an address of which the start may begin.
                near.peers.append(
                    WireGuardFile.Peer(
                        WireGuardKey.publicKeyOfNobody(), endpoint: "192.0.2.14:1",
                        allowedIPs: ["10.79.0.9/32"]))
            }
        }
        let tunnel = try site.tunnel
        var names: NameService? = try NameService(tunnel.site, "other.example.org,192.0.2.13")
        try tunnel.begin()
        names = nil
        names = try NameService(tunnel.site, "\(Self.name),\(site.host.v4)")
        #expect(try eventually(seconds: 30) { try tunnel.word == "connected" })
        withExtendedLifetime(names) {}
    }

    @Test func allAddressesOfBothFamiliesAreTried() throws {
        let site = try site()
        let tunnel = try site.tunnel
        // Nobody is at the first ones.
        let names = try NameService(
            tunnel.site, "\(Self.name),192.0.2.13,2001:db8:1::2", "\(Self.name),192.0.2.14")
        let (_, seconds) = try timed { try tunnel.connect() }
        #expect(seconds < 20, "\(seconds)")
        #expect(
            try tunnel.status.peers.first?["endpoint"]
                == .string("[\(site.host.v6)]:\(InteropSite.port)"))
        #expect(try Echoes.run(to: InteropSite.farAddress, count: 3).received == 3)
        _ = names
    }
}
