package import TunnelModel

/// The link by which packets leave the host beside all tunnels.
package struct UnderlyingLink: Equatable, Sendable {
    package let link: Link
    /// The next hops of its default routes, IPv4 first, then by metric.
    package let gateways: [IPAddress]
}

extension RouteSocket {
    /// The link of the best default route of the main table that leads neither into a tunnel nor
    /// nowhere: the lowest metric counts, and IPv4 before IPv6.
    package func underlyingLink() throws(NetlinkError) -> UnderlyingLink? {
        let usable = Link.underlyingLinks(of: try links()).filter { $0.isUp && $0.hasCarrier }
        let links = Dictionary(uniqueKeysWithValues: usable.map { ($0.index, $0) })
        let routes = try defaultRoutes().filter { links[$0.interfaceIndex] != nil }
        guard let best = routes.first, let link = links[best.interfaceIndex] else { return nil }
        var gateways: [IPAddress] = []
        for route in routes where route.interfaceIndex == link.index {
            guard let gateway = route.gateway, !gateways.contains(gateway) else { continue }
            gateways.append(gateway)
        }
        return UnderlyingLink(link: link, gateways: gateways)
    }
}
