/// What the places of a tunnel's routes depend on beside its settings.
package struct RouteSurroundings: Equatable, Sendable {
    /// What the configuration says of routes.
    package var routing: RoutingSettings
    /// Whether the provider's packets carry no mark, so that they go where everybody's go.
    package let sendsUnmarked: Bool
    /// Whether the kernel knows of IPv6 at all.
    package let hasIPv6: Bool
    /// The addresses that the tunnel's own packets go to.
    package var servers: Set<IPAddress> = []
    /// The networks on the links of the host.
    package var linkNetworks: [IPPrefix] = []

    /// Surroundings without any server or network.
    package init(_ routing: RoutingSettings, sendsUnmarked: Bool = false, hasIPv6: Bool = true) {
        self.routing = routing
        self.sendsUnmarked = sendsUnmarked
        self.hasIPv6 = hasIPv6
    }

    /// The networks that the tunnel does not take, host bits cleared.
    package var excluded: [IPPrefix] {
        var excluded = routing.excludedRoutes.map(\.masked)
        excluded += localNetworks
        // Packets to them look like everybody's: only the address tells that they must not
        // come back into the tunnel.
        if sendsUnmarked { excluded += servers.sorted().map { IPPrefix(host: $0) } }
        return excluded.filter { hasIPv6 || $0.family == .v4 }
    }

    /// The networks that are reached without any router, where these are to be left out.
    package var localNetworks: [IPPrefix] {
        routing.excludeLocalNetworks ? LocalNetworks.all(onLink: linkNetworks) : []
    }

    /// The servers that marked packets go to.
    package var keptOutside: Set<IPAddress> { sendsUnmarked ? [] : servers }

    /// The servers to which everybody's packets leave beside the tunnel, as a route of it holds
    /// them and the provider's packets carry no mark.
    package func leaks(_ settings: EffectiveSettings) -> [IPAddress] {
        guard sendsUnmarked else { return [] }
        let included = settings.includedRoutes + settings.addresses.map(\.masked)
        return servers.sorted().filter { server in included.contains { $0.contains(server) } }
    }
}

/// The networks that a host reaches without any router.
package enum LocalNetworks {
    /// Private addresses (RFC 1918), unique local ones (RFC 4193) and those of a link.
    private static let kinds = [
        "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "169.254.0.0/16", "fc00::/7",
        "fe80::/10",
    ].compactMap { IPPrefix($0) }

    /// Multicast, and the broadcast of a link.
    private static let everywhere = ["224.0.0.0/4", "255.255.255.255/32", "ff00::/8"]
        .compactMap { IPPrefix($0) }

    /// What is local of the networks on the links of a host.
    ///
    /// Whoever runs a link chooses its network: of one that is not for private use nothing
    /// counts, and of one that is wider only what is for private use.
    package static func all(onLink networks: [IPPrefix]) -> [IPPrefix] {
        var local: [IPPrefix] = []
        for network in networks.map(\.masked).sorted() {
            for kind in kinds {
                if kind.contains(network) {
                    local.append(network)
                } else if network.contains(kind) {
                    local.append(kind)
                }
            }
        }
        return local + everywhere
    }
}
