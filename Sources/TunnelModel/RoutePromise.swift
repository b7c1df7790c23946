/// What a tunnel promises of packets to one address.
package enum RoutePromise: String, Sendable {
    /// They go through the tunnel, or nowhere.
    case tunnel
    /// They may leave beside it: excluded, or nothing that it takes.
    case outside
    /// They go nowhere.
    case held

    /// What a tunnel promises whose included networks are `included`, those of its addresses
    /// among them.
    package init(
        of destination: IPAddress,
        included: [IPPrefix],
        _ routing: RoutingReport
    ) {
        let taken = Self.longest(included, holding: destination)
        let left = Self.longest(routing.excluded, holding: destination)
        if let left, left >= taken ?? -1 {
            self = .outside
        } else if taken != nil {
            self = .tunnel
        } else {
            let isHeld =
                routing.mode == .all || (destination.family == .v6 && routing.ipv6 == .block)
            self = isHeld ? .held : .outside
        }
    }

    private static func longest(_ networks: [IPPrefix], holding address: IPAddress) -> Int? {
        networks.filter { $0.contains(address) }.map(\.length).max()
    }
}
