/// A route of somebody else that packets take which a tunnel is to take.
package struct RouteShadow: Hashable, Sendable {
    /// The network of the other route.
    package let network: IPPrefix
    /// The index of the link that it leads to.
    package let interfaceIndex: UInt32
    /// Whether it is a route of another tunnel of ours.
    package let isTunnel: Bool

    package init(network: IPPrefix, interfaceIndex: UInt32, isTunnel: Bool) {
        self.network = network
        self.interfaceIndex = interfaceIndex
        self.isTunnel = isTunnel
    }
}

/// Tells which routes of others go before those of a plan.
package struct ShadowFinder {
    /// The networks of which the longest prefix of the main table wins.
    private let plain: PrefixIndex
    /// Those of them that are no part of a whole family alone, as 0.0.0.0/1 or 2000::/3 is.
    private let plainAndNarrow: PrefixIndex
    private let ahead: PrefixIndex
    private let main: Set<IPPrefix>
    private let excluded: PrefixIndex

    package init(_ plan: RoutePlan, addresses: [IPPrefix], excluded: [IPPrefix]) {
        let byKernel = addresses.filter { !plan.addressesWithoutRoute.contains($0) }.map(\.masked)
        let networks = plan.main + byKernel + plan.own.filter { !plan.goesAhead($0.family) }
        plain = PrefixIndex(networks)
        plainAndNarrow = PrefixIndex(
            networks.filter { $0.length >= EffectiveSettings.widestNetwork($0.family) })
        ahead = PrefixIndex(plan.own.filter { plan.goesAhead($0.family) })
        main = Set(plan.main)
        self.excluded = PrefixIndex(excluded)
    }

    /// Whether a route of the main table goes before one of the tunnel's.
    ///
    /// The network of a link itself is nearer than any default route, and meant to be; so it
    /// is where a default route comes in parts.
    package func isShadow(_ network: IPPrefix, isOnLink: Bool, isPreferred: Bool) -> Bool {
        guard !excluded.holds(network) else { return false }
        if isPreferred, main.contains(network) { return true }
        return (isOnLink ? plainAndNarrow : plain).holdsWider(than: network)
    }

    /// Whether a route of another tunnel goes before one of this; `isAhead` tells whether it
    /// goes before the main table.
    package func isShadow(ofTunnel network: IPPrefix, isAhead: Bool) -> Bool {
        guard !excluded.holds(network) else { return false }
        if plain.holdsWider(than: network) { return true }
        guard isAhead else { return false }
        return ahead.holdsWider(than: network) || plain.overlaps(network)
    }
}
