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
