internal import KernelNetwork
internal import LinuxSystem
internal import TunnelModel

extension TunnelInterface {
    /// More than all ways over which the servers of one tunnel are reached.
    private static let mostPaths = 64

    /// The ways to the servers, as far as the kernel knows of them.
    func paths() -> [PathMTU] {
        let isMarked = !surroundings.sendsUnmarked
        var links: [UInt32: UInt32] = [:]
        return servers.sorted().prefix(Self.mostPaths).compactMap { server in
            guard let known = OutsideSocket.pathMTU(to: server.bytes, isMarked: isMarked) else {
                return nil
            }
            // What a route allows the kernel does not compare with what its link takes.
            let limit = linkMTU(to: server, isMarked ? OutsideSocket.mark : nil, &links)
            return PathMTU(server: server, mtu: min(known, limit ?? known))
        }
    }

    /// Asks the kernel of the network by which the tunnel's own packets leave.
    func underlying<Value>(_ body: (borrowing RouteSocket) throws(NetlinkError) -> Value)
        throws(NetlinkError) -> Value
    {
        guard let outside else { return try body(kernel) }
        return try body(outside.kernel)
    }

    private func linkMTU(to server: IPAddress, _ mark: UInt32?, _ links: inout [UInt32: UInt32])
        -> UInt32?
    {
        let found = try? underlying { (kernel) throws(NetlinkError) in
            try kernel.routeLookup(to: server, mark: mark)
        }
        guard let route = found ?? nil else { return nil }
        if let mtu = links[route.interfaceIndex] { return mtu }
        let mtu = try? underlying { (kernel) throws(NetlinkError) in
            try kernel.link(index: route.interfaceIndex)?.mtu
        }
        links[route.interfaceIndex] = mtu
        return mtu
    }
}
