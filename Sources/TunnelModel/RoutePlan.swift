/// Where the routes of a tunnel lie, so that its own packets to a server never enter it.
///
/// A route that holds a server, and each default route, lies in a table of the tunnel's own,
/// which marked packets are not sent to; every other lies in the main table, where anybody
/// looks for it.
package struct RoutePlan: Equatable, Sendable {
    /// The networks of the main table; those of the tunnel's addresses are the kernel's own.
    package private(set) var main: [IPPrefix] = []
    /// The networks of the tunnel's own table.
    package private(set) var own: [IPPrefix] = []
    /// The addresses to whose network the kernel must make no route, as that holds a server.
    package private(set) var addressesWithoutRoute: [IPPrefix] = []

    /// A plan without any route.
    package init() {}

    /// Places the routes of settings.
    ///
    /// `servers` are the addresses that the tunnel's own packets go to.
    package init(_ settings: EffectiveSettings, servers: Set<IPAddress>) {
        let networks = Set(settings.addresses.map(\.masked))
        let lengths = Set((networks + settings.includedRoutes).map(\.length))
        // By server and length rather than by route: there may be thousands of both.
        var holding: Set<IPPrefix> = []
        for server in servers {
            for length in lengths {
                guard let network = IPPrefix(address: server, length: length) else { continue }
                holding.insert(network.masked)
            }
        }
        addressesWithoutRoute = settings.addresses.filter { holding.contains($0.masked) }
        var seen: Set<IPPrefix> = []
        for network in addressesWithoutRoute.map(\.masked) + settings.includedRoutes
        where seen.insert(network).inserted {
            if network.isDefault || holding.contains(network) {
                own.append(network)
            } else if !networks.contains(network) {
                // A second route beside the kernel's would be EEXIST.
                main.append(network)
            }
        }
    }

    /// The lengths of the prefixes in the tunnel's own table, the longest first.
    package func ownLengths(_ family: IPAddress.Family) -> [Int] {
        Set(own.filter { $0.family == family }.map(\.length)).sorted(by: >)
    }
}
