import Glibc
import TestSupport
import Testing

/// A flood of initiations: it gets cookies, and whoever returns one is let in.
@Suite(
    .serialized,
    .enabled("\(PrivateNamespace.requirement)") { try PrivateNamespace.isPresent })
struct CookieTests {
    @Test(arguments: InteropSite.Program.all)
    func ourEndReturnsTheCookieOfAPeerUnderLoad(program: InteropSite.Program) throws {
        let site = try InteropSite(program) { $0.hasRelay = true }
        #expect(try Echoes.arrive(at: InteropSite.farAddress))
        let flood = try flood(
            site, .towardFar, to: DatagramAddress(site.host.v4, InteropSite.port),
            perMillisecond: 40)
        try site.restartNear()
        // Five seconds until the initiation is repeated, now with the cookie.
        #expect(try Echoes.arrive(at: InteropSite.farAddress, within: 16))
        #expect(try site.wire.count(.cookieReply, .towardNear) >= 1)
        #expect(flood.replies(.response) == 0)
    }

    @Test(arguments: InteropSite.Program.all)
    func ourEndUnderLoadAsksForACookieAndLetsThePeerIn(program: InteropSite.Program) throws {
        let site = try InteropSite(program) {
            $0.initiator = .far
            $0.hasRelay = true
        }
        let place = site.host.place
        #expect(try Echoes.arrive(at: InteropSite.nearAddress, from: place))
        var flood: HandshakeFlood? = try flood(
            site, .towardNear, to: DatagramAddress(site.host.nearV4, InteropSite.port),
            perMillisecond: program == .utunctl ? 4 : 40)
        try site.restartFar()
        #expect(try Echoes.arrive(at: InteropSite.nearAddress, from: place, within: 16))
        let cookies = try site.wire.count(.cookieReply, .towardFar)
        #expect(cookies >= 1)
        #expect(flood?.replies(.response) == 0)
        flood = nil
        // Once the load is over nobody is asked for anything.
        sleep(2)
        try site.restartFar()
        #expect(try Echoes.arrive(at: InteropSite.nearAddress, from: place, within: 2))
        #expect(try site.wire.count(.cookieReply, .towardFar) == cookies)
    }

    /// Repeats the last initiation that went in a direction until it is answered by cookies.
    ///
    /// The reference asks for them when its queue is long, which takes more than it computes;
    /// ours when more handshakes come than it allows for. Still more would fill the buffer of
    /// the socket, from which the genuine one is then missing.
    private func flood(
        _ site: InteropSite,
        _ direction: Direction,
        to address: DatagramAddress,
        perMillisecond: Int
    ) throws -> HandshakeFlood {
        let initiation = try #require(try site.wire.record(direction).last[.initiation])
        let flood = try HandshakeFlood(
            initiation, from: site.host.nearV4, to: address, perMillisecond: perMillisecond)
        #expect(eventually { flood.replies(.cookieReply) > 0 })
        return flood
    }
}
