package import KernelNetwork
internal import LinuxSystem
package import TunnelModel

extension TunnelInterface {
    /// How many servers of a family are looked for: all of a tunnel are reached over few ways.
    private static let mostServers = 16
    /// What stands for all servers where none is known (RFC 5737, RFC 3849).
    private static let anywhere = ["203.0.113.1", "2001:db8:113::1"].compactMap { IPAddress($0) }

    /// By which ways the tunnel's own packets leave, as the kernel answers at the moment.
    func underlyingPath() throws(NetlinkError) -> UnderlyingPath {
        try underlying { (kernel) throws(NetlinkError) in
            UnderlyingPath(v4: try way(.v4, kernel), v6: try way(.v6, kernel))
        }
    }

    private func way(_ family: IPAddress.Family, _ kernel: borrowing RouteSocket)
        throws(NetlinkError) -> UnderlyingPath.Way?
    {
        let known = self.servers
        let servers = (known.isEmpty ? Self.anywhere : known.sorted())
            .filter { $0.family == family }
        let mark = surroundings.sendsUnmarked ? nil : OutsideSocket.mark
        for server in servers.prefix(Self.mostServers) {
            guard let route = try kernel.routeLookup(to: server, mark: mark),
                outside != nil || route.interfaceIndex != index,
                let link = try kernel.link(index: route.interfaceIndex),
                link.isUp, link.hasCarrier
            else { continue }
            return UnderlyingPath.Way(
                interface: link.name, index: Int(link.index),
                kind: UnderlyingKind(of: link).rawValue, gateway: route.gateway,
                source: route.preferredSource)
        }
        return nil
    }

    /// The networks of the links that carry packets off the host, where that matters.
    func linkNetworks() throws(NetlinkError) -> [IPPrefix] {
        guard surroundings.routing.excludeLocalNetworks else { return [] }
        return try kernel.underlyingNetworks()
    }
}

extension RouteSocket {
    /// The networks of the links that carry packets off the host.
    package func underlyingNetworks() throws(NetlinkError) -> [IPPrefix] {
        let links = Link.underlyingLinks(of: try links()).filter(\.isUp)
        let indexes = Set(links.map(\.index))
        return Set(
            try addresses().filter { indexes.contains($0.interfaceIndex) }.map(\.prefix.masked)
        ).sorted()
    }
}
