import Glibc
import TestSupport
import Testing

/// An end that moves: the tunnel goes on, and follows only who proves to be the peer.
@Suite(
    .serialized,
    .enabled("\(PrivateNamespace.requirement)") { try PrivateNamespace.isPresent })
struct RoamingTests {
    @Test(arguments: InteropSite.Program.all)
    func theNearEndFollowsAPeerThatMoves(program: InteropSite.Program) throws {
        let site = try InteropSite(program) { $0.hasRelay = true }
        let echoes = try Echoes(to: InteropSite.farAddress, count: 50, every: 0.02)
        usleep(400_000)
        let moved = try site.wire.move(.towardNear)
        usleep(400_000)
        let endpoint = try Place.here.run("wg", "show", site.near.interface, "endpoints")
        #expect(endpoint.contains("\(moved)"), "\(endpoint)")
        let count = try echoes.finish()
        #expect(count.sent == 50 && count.lost == 0, "\(count)")
    }

    @Test(arguments: InteropSite.Program.all)
    func theFarEndFollowsOurs(program: InteropSite.Program) throws {
        let site = try InteropSite(program) { $0.hasRelay = true }
        let echoes = try Echoes(to: InteropSite.farAddress, count: 50, every: 0.02)
        usleep(400_000)
        let moved = try site.wire.move(.towardFar)
        usleep(400_000)
        let endpoint = try site.far.show("endpoints")[site.nearFile.key.publicKey]
        #expect(endpoint == "\(moved)")
        let count = try echoes.finish()
        #expect(count.sent == 50 && count.lost == 0, "\(count)")
    }

    @Test func aPeerAtAnAddressThatItsOwnRouteHoldsIsAnsweredOutsideTheTunnel() throws {
        let host = "192.0.2.2"
        let site = try InteropSite(.utunctl) { plan in
            plan.initiator = .far
            // Nobody knows before the peer comes that it comes from there.
            plan.change = { near, _ in near.peers[0].allowedIPs.append("\(host)/32") }
        }
        #expect(site.host.v4 == host)
        #expect(try Echoes.arrive(at: InteropSite.nearAddress, from: site.host.place, within: 15))
        let route = try Place.here.run("ip", "route", "get", site.host.v4, "mark", "0x75000075")
        #expect(!route.contains(site.near.interface), "\(route)")
        #expect(try Echoes.run(to: InteropSite.farAddress, count: 3).received == 3)
    }

    @Test(arguments: InteropSite.Program.all, InteropSite.Underlay.allCases)
    func aPeerIsAnsweredFromTheAddressThatItSpokeTo(
        program: InteropSite.Program, underlay: InteropSite.Underlay
    ) throws {
        // Not the one that the kernel would choose: of IPv4 the first, of IPv6 the last.
        let added = underlay == .v4 ? "192.0.2.9" : "2001:db8:1::9"
        let endpoint = underlay == .v4 ? "\(added):51820" : "[2001:db8:1::1]:51820"
        let site = try InteropSite(program) { plan in
            plan.initiator = .far
            plan.underlay = underlay
            plan.change = { _, far in far.peers[0].endpoint = endpoint }
        }
        let link = site.host.interface
        switch underlay {
        case .v4: try Place.here.run("ip", "addr", "add", "\(added)/28", "dev", link)
        case .v6: try Place.here.run("ip", "addr", "add", "\(added)/64", "dev", link, "nodad")
        }
        #expect(try Echoes.arrive(at: InteropSite.nearAddress, from: site.host.place, within: 12))
        #expect(try site.far.show("endpoints")[site.nearFile.key.publicKey] == endpoint)
    }

    @Test(arguments: InteropSite.Program.all)
    func nobodyElseMovesAPeer(program: InteropSite.Program) throws {
        let site = try InteropSite(program) { $0.hasRelay = true }
        #expect(try Echoes.run(to: InteropSite.farAddress, count: 3).received == 3)
        let before = try Place.here.run("wg", "show", site.near.interface, "endpoints")
        let stranger = try DatagramSocket(at: site.host.nearV4)
        let near = try DatagramAddress(site.host.nearV4, InteropSite.port)
        let record = try site.wire.record(.towardNear)
        // Replayed, mangled and cut: each is from the right session and proves nothing.
        let genuine = try #require(record.last[.transport])
        for bytes in [genuine, genuine.dropLast() + [genuine[genuine.count - 1] ^ 1]] {
            stranger.send(bytes, to: near)
        }
        stranger.send(Array(genuine.dropLast(16)), to: near)
        #expect(stranger.receive(milliseconds: 300) == nil)
        #expect(try Place.here.run("wg", "show", site.near.interface, "endpoints") == before)
        #expect(try Echoes.run(to: InteropSite.farAddress, count: 3).received == 3)
    }
}
