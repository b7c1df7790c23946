import Testing
import TunnelModel

/// Which routes of others count as going before those of a tunnel.
@Suite struct RouteShadowTests {
    private static func finder(
        _ routes: [String],
        _ change: (inout RoutingSettings) -> Void = { _ in }
    ) throws -> ShadowFinder {
        var routing = RoutingSettings()
        change(&routing)
        let plan = try RoutePlanTests.plan(routes, change)
        return ShadowFinder(
            plan, addresses: Model.prefixes(["10.9.0.2/24", "fd09::2/64"]),
            excluded: RouteSurroundings(routing).excluded)
    }

    private static let routes: [(network: String, isOnLink: Bool, isPreferred: Bool, Bool)] = [
        // Within a route of the tunnel.
        ("10.1.0.0/16", false, false, true),
        ("10.1.0.0/16", true, false, true),
        ("10.9.0.128/25", false, false, true),
        // Equal to one: only where the kernel prefers it.
        ("10.0.0.0/8", false, false, false),
        ("10.0.0.0/8", false, true, true),
        // Wider, or beside.
        ("8.0.0.0/6", false, true, false),
        ("fd80::/16", false, false, false),
        // Excluded on purpose.
        ("10.77.5.0/24", false, false, false),
        ("10.77.0.0/16", false, true, false),
    ]

    @Test(arguments: routes)
    func ofTheMainTable(
        network: String, isOnLink: Bool, isPreferred: Bool, isShadow: Bool
    ) throws {
        let finder = try Self.finder(["10.0.0.0/8"]) {
            // What holds the excluded one moves: the others are to stay in the main table.
            $0.excludedRoutes = Model.prefixes(["11.0.0.0/8"])
        }
        let moved = try Self.finder(["10.0.0.0/8"]) {
            $0.excludedRoutes = Model.prefixes(["10.77.0.0/16"])
        }
        let prefix = try #require(IPPrefix(network))
        if network.hasPrefix("10.77.") {
            #expect(!moved.isShadow(prefix, isOnLink: isOnLink, isPreferred: isPreferred))
        } else {
            #expect(
                finder.isShadow(prefix, isOnLink: isOnLink, isPreferred: isPreferred) == isShadow)
        }
    }

    @Test func soItIsOfADefaultRouteInParts() throws {
        let finder = try Self.finder(["0.0.0.0/1", "128.0.0.0/1", "2000::/3"])
        for network in ["192.168.1.0/24", "10.0.0.0/8", "2001:db8::/64"] {
            let prefix = try #require(IPPrefix(network))
            #expect(!finder.isShadow(prefix, isOnLink: true, isPreferred: false))
            #expect(finder.isShadow(prefix, isOnLink: false, isPreferred: false))
        }
    }

    @Test func theNetworkOfALinkIsNearerThanADefaultRouteAndMeantToBe() throws {
        let finder = try Self.finder(["0.0.0.0/0", "192.168.0.0/16"])
        let lan = try #require(IPPrefix("172.16.0.0/12"))
        #expect(!finder.isShadow(lan, isOnLink: true, isPreferred: false))
        #expect(finder.isShadow(lan, isOnLink: false, isPreferred: false))
        let inside = try #require(IPPrefix("192.168.1.0/24"))
        #expect(finder.isShadow(inside, isOnLink: true, isPreferred: false))
        // A default route of the host itself is looked at after the tunnel's.
        #expect(!finder.isShadow(.defaultV4, isOnLink: false, isPreferred: true))
    }

    @Test func nothingOfTheMainTableGoesBeforeEnforcedRoutes() throws {
        let finder = try Self.finder(["0.0.0.0/0", "10.0.0.0/8"]) { $0.enforceRoutes = true }
        for network in ["10.1.0.0/16", "10.0.0.0/8", "203.0.113.0/24"] {
            let prefix = try #require(IPPrefix(network))
            #expect(!finder.isShadow(prefix, isOnLink: false, isPreferred: true))
        }
    }

    private static let tunnels: [(network: String, isAhead: Bool, plain: Bool, enforced: Bool)] = [
        ("10.1.0.0/16", false, true, false), ("10.1.0.0/16", true, true, true),
        ("0.0.0.0/0", false, false, false), ("0.0.0.0/0", true, true, false),
        ("11.0.0.0/8", true, false, false),
    ]

    @Test(arguments: tunnels)
    func ofOtherTunnels(network: String, isAhead: Bool, plain: Bool, enforced: Bool) throws {
        let prefix = try #require(IPPrefix(network))
        let one = try Self.finder(["10.0.0.0/8"])
        #expect(one.isShadow(ofTunnel: prefix, isAhead: isAhead) == plain)
        let other = try Self.finder(["10.0.0.0/8"]) { $0.enforceRoutes = true }
        #expect(other.isShadow(ofTunnel: prefix, isAhead: isAhead) == enforced)
    }
}
