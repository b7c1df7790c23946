import TestSupport
import Testing
import TunnelModel

/// Where routes lie that hold a server.
@Suite struct RoutePlanTests {
    /// A plan for routes that a configuration asks for; `change` changes the rest of it.
    static func plan(
        _ routes: [String],
        addresses: [String] = ["10.9.0.2/24", "fd09::2/64"],
        servers: [String] = [],
        links: [String] = [],
        sendsUnmarked: Bool = false,
        hasIPv6: Bool = true,
        _ change: (inout RoutingSettings) -> Void = { _ in }
    ) throws -> RoutePlan {
        var asked = NetworkSettings()
        asked.addresses = Model.prefixes(addresses)
        var configuration = Configuration(identifier: Model.identifier, name: "office")
        configuration.routing.includedRoutes = Model.prefixes(routes)
        change(&configuration.routing)
        guard
            case .accepted(let settings) = EffectiveSettings.derive(
                from: asked, for: configuration)
        else { throw Rejected() }
        var surroundings = RouteSurroundings(
            configuration.routing, sendsUnmarked: sendsUnmarked, hasIPv6: hasIPv6)
        surroundings.servers = Set(servers.compactMap { IPAddress($0) })
        surroundings.linkNetworks = Model.prefixes(links)
        return RoutePlan(settings, surroundings)
    }

    private struct Rejected: Error {}

    private static let places:
        [(routes: [String], servers: [String], main: [String], own: [String])] = [
            ([], ["192.0.2.1"], [], []),
            (["10.1.0.0/16"], [], ["10.1.0.0/16"], []),
            (["10.1.0.0/16"], ["192.0.2.1"], ["10.1.0.0/16"], []),
            (["10.1.0.0/16", "10.2.0.0/16"], ["10.2.3.4"], ["10.1.0.0/16"], ["10.2.0.0/16"]),
            (["10.0.0.0/8", "10.2.0.0/16"], ["10.3.3.4"], ["10.2.0.0/16"], ["10.0.0.0/8"]),
            (["192.0.2.1/32"], ["192.0.2.1"], [], ["192.0.2.1/32"]),
            (["192.0.2.0/32"], ["192.0.2.1"], ["192.0.2.0/32"], []),
            (["0.0.0.0/0", "::/0"], [], [], ["0.0.0.0/0", "::/0"]),
            (["0.0.0.0/1", "128.0.0.0/1"], ["192.0.2.1"], ["0.0.0.0/1"], ["128.0.0.0/1"]),
            (["2001:db8::/32", "10.0.0.0/8"], ["2001:db8::1"], ["10.0.0.0/8"], ["2001:db8::/32"]),
            // An address of one family has nothing to do with the other.
            (["::/1", "0.0.0.0/1"], ["1.2.3.4"], ["::/1"], ["0.0.0.0/1"]),
            // The kernel makes the route to the tunnel's own network.
            (["10.9.0.0/24", "fd09::/64"], ["192.0.2.1"], [], []),
        ]

    @Test(arguments: places)
    func eachRouteLiesInOneTable(
        routes: [String],
        servers: [String],
        main: [String],
        own: [String]
    ) throws {
        let plan = try Self.plan(routes, servers: servers)
        #expect(plan.main == Model.prefixes(main))
        #expect(plan.own == Model.prefixes(own))
        #expect(plan.addressesWithoutRoute.isEmpty)
        #expect(plan.thrown.isEmpty && plan.blocked.isEmpty && plan.spared.isEmpty)
    }

    @Test func theTunnelsOwnNetworkThatHoldsAServerHasNoRouteOfTheKernels() throws {
        let plan = try Self.plan(
            ["10.9.0.0/24", "fd09::/64"], servers: ["10.9.0.77", "fd09::77"])
        #expect(plan.main.isEmpty)
        #expect(plan.own == Model.prefixes(["10.9.0.0/24", "fd09::/64"]))
        #expect(plan.addressesWithoutRoute == Model.prefixes(["10.9.0.2/24", "fd09::2/64"]))
    }

    @Test func lengthsComeOnceEachAndTheLongestFirst() throws {
        let plan = try Self.plan(
            ["0.0.0.0/0", "10.0.0.0/8", "10.1.0.0/16", "10.1.2.0/24", "11.0.0.0/8", "::/0"],
            servers: ["10.1.2.3", "11.1.1.1"])
        #expect(plan.ownLengths(.v4) == [24, 16, 8, 0])
        #expect(plan.ownLengths(.v6) == [0])
        #expect(try Self.plan(["12.0.0.0/8"], servers: []).ownLengths(.v4).isEmpty)
    }

    @Test func thousandsOfRoutesAndServersTakeTimeInProportion() throws {
        let growth = try growth(from: 500, to: 16_000) { count in
            let routes = (0..<count).map { "10.\($0 >> 8 & 255).\($0 & 255).0/\(25 + $0 % 8)" }
            let servers = (0..<count / 16).map { "10.\($0 & 63).\($0 >> 2 & 255).1" }
            let plan = try Self.plan(routes, servers: servers)
            let networks = Set(Model.prefixes(routes).map(\.masked))
            #expect(plan.main.count + plan.own.count == networks.count)
            #expect(!plan.own.isEmpty)
        }
        // 32 times as many of both; each route for each server would be a thousand times.
        #expect(growth < 250)
    }
}
