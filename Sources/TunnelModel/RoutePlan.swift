/// Where the routes of a tunnel lie, so that its own packets to a server never enter it, and
/// what is promised of others holds.
///
/// Of a plain tunnel a route that holds a server or an excluded network, and each default
/// route, lies in a table of the tunnel's own, which marked packets are not sent to; every
/// other lies in the main table, where anybody looks for it. Where routes go ahead of the main
/// table all lie in the tunnel's own, and a second table says what must not leave beside the
/// tunnel when the first has lost its routes.
package struct RoutePlan: Equatable, Sendable {
    /// The networks of the main table; those of the tunnel's addresses are the kernel's own.
    package private(set) var main: [IPPrefix] = []
    /// The networks of the tunnel's own table.
    package private(set) var own: [IPPrefix] = []
    /// The networks that the own table leaves to whatever is asked after it.
    package private(set) var thrown: [IPPrefix] = []
    /// The networks to which nothing may leave beside the tunnel.
    package private(set) var blocked: [IPPrefix] = []
    /// The networks within those to which it may.
    package private(set) var spared: [IPPrefix] = []
    /// The addresses to whose network the kernel must make no route.
    package private(set) var addressesWithoutRoute: [IPPrefix] = []
    /// Whether the block outlives the tunnel, until somebody lifts it.
    package private(set) var blockStands = false
    private var familiesAhead: Set<IPAddress.Family> = []

    /// A plan without any route.
    package init() {}

    /// Places the routes of settings.
    ///
    /// Without settings nothing goes through the tunnel yet; what blocks is there already.
    package init(_ settings: EffectiveSettings?, _ surroundings: RouteSurroundings) {
        let routing = surroundings.routing
        let blocksIPv6 = surroundings.hasIPv6 && Self.blocksIPv6(settings, routing)
        blockStands = routing.mode == .all
        familiesAhead = routing.mode == .plain ? [] : [.v4, .v6]
        if blocksIPv6 { familiesAhead.insert(.v6) }
        let excluded = Self.unique(surroundings.excluded)
        place(settings, surroundings, excluded: excluded)
        let included = PrefixIndex(own)
        thrown = excluded.filter { included.holdsWider(than: $0) }

        blocked = own.filter { familiesAhead.contains($0.family) }
        if blockStands { blocked = [.defaultV4, .defaultV6] + blocked }
        if blocksIPv6 { blocked.append(.defaultV6) }
        blocked = Self.unique(blocked).filter { $0.family == .v4 || surroundings.hasIPv6 }
        let barred = PrefixIndex(blocked)
        // It never leaves the link, which is what a host speaks to its router with.
        let further = blocksIPv6 && !blockStands ? [IPPrefix.linkLocalV6] : []
        spared = Self.unique(excluded + further).filter { barred.holdsWider(than: $0) }
    }

    private mutating func place(
        _ settings: EffectiveSettings?,
        _ surroundings: RouteSurroundings,
        excluded: [IPPrefix]
    ) {
        let addresses = settings?.addresses ?? []
        let included = settings?.includedRoutes ?? []
        let networks = Set(addresses.map(\.masked))
        let holding = Self.holding(
            lengths: Set((networks + included).map(\.length)), surroundings.keptOutside, excluded)
        let barred = Set(excluded)
        addressesWithoutRoute = addresses.filter {
            goesAhead($0.family) || holding.contains($0.masked) || barred.contains($0.masked)
        }
        // To the one address itself the kernel has a route in the table of local ones.
        let withoutRoute = addressesWithoutRoute.map(\.masked).filter { !$0.isHost }
        var seen = barred
        for network in withoutRoute + included where seen.insert(network).inserted {
            if goesAhead(network.family) || network.isDefault || holding.contains(network) {
                own.append(network)
            } else if !networks.contains(network) {
                // A second route beside the kernel's would be EEXIST.
                main.append(network)
            }
        }
    }

    /// Whether a network is one of its routes.
    package func holds(_ network: IPPrefix) -> Bool {
        main.contains(network) || own.contains(network)
    }

    /// The lengths of the prefixes in the tunnel's own table, the longest first.
    package func ownLengths(_ family: IPAddress.Family) -> [Int] {
        Set(own.filter { $0.family == family }.map(\.length)).sorted(by: >)
    }

    /// Whether the routes of a family go ahead of the main table.
    package func goesAhead(_ family: IPAddress.Family) -> Bool { familiesAhead.contains(family) }

    /// Whether anything of a family must not leave beside the tunnel.
    package func blocks(_ family: IPAddress.Family) -> Bool {
        blocked.contains { $0.family == family }
    }

    /// Whether all of IPv6 that the tunnel does not carry is to stay on this host.
    private static func blocksIPv6(_ settings: EffectiveSettings?, _ routing: RoutingSettings)
        -> Bool
    {
        switch routing.ipv6 {
        case .leave: false
        case .block: true
        case .tunnel:
            settings.map { settings in
                !settings.addresses.contains { $0.family == .v6 }
                    && IPPrefix.coversWholeFamily(settings.includedRoutes, .v4)
            } ?? false
        }
    }

    /// The networks of some lengths that hold an address or, being wider, a prefix.
    private static func holding(
        lengths: Set<Int>,
        _ addresses: Set<IPAddress>,
        _ prefixes: [IPPrefix]
    ) -> Set<IPPrefix> {
        // By address and length rather than by route: there may be thousands of both.
        var holding: Set<IPPrefix> = []
        for length in lengths {
            for address in addresses {
                guard let network = IPPrefix(address: address, length: length) else { continue }
                holding.insert(network.masked)
            }
            for prefix in prefixes where length < prefix.length {
                guard let network = IPPrefix(address: prefix.address, length: length) else {
                    continue
                }
                holding.insert(network.masked)
            }
        }
        return holding
    }

    private static func unique(_ prefixes: [IPPrefix]) -> [IPPrefix] {
        var seen: Set<IPPrefix> = []
        return prefixes.filter { seen.insert($0).inserted }
    }
}
