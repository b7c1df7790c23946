internal import KernelNetwork
internal import LinuxSystem
internal import TunnelModel

extension TunnelInterface {
    /// The ways to the servers, as far as the kernel knows of them.
    ///
    /// To be asked where the tunnel's own packets leave.
    func paths() -> [PathMTU] {
        let paths = try? underlying { (kernel) throws(NetlinkError) in
            kernel.paths(to: servers, isMarked: !surroundings.sendsUnmarked)
        }
        return paths ?? []
    }

    /// Asks the kernel of the network by which the tunnel's own packets leave.
    func underlying<Value>(_ body: (borrowing RouteSocket) throws(NetlinkError) -> Value)
        throws(NetlinkError) -> Value
    {
        guard let outside else { return try body(kernel) }
        return try body(outside.kernel)
    }
}

extension RouteSocket {
    /// More than all ways over which the servers of one tunnel are reached.
    private static var mostPaths: Int { 64 }

    /// The ways of packets to some servers, as far as the kernel knows of them.
    func paths(to servers: Set<IPAddress>, isMarked: Bool) -> [PathMTU] {
        var links: [UInt32: UInt32] = [:]
        var paths: [PathMTU] = []
        for server in servers.sorted().prefix(Self.mostPaths) {
            guard let known = OutsideSocket.pathMTU(to: server.bytes, isMarked: isMarked) else {
                continue
            }
            // What a route allows the kernel does not compare with what its link takes.
            let limit = linkMTU(to: server, isMarked ? OutsideSocket.mark : nil, &links)
            paths.append(PathMTU(server: server, mtu: min(known, limit ?? known)))
        }
        return paths
    }

    private func linkMTU(to server: IPAddress, _ mark: UInt32?, _ links: inout [UInt32: UInt32])
        -> UInt32?
    {
        guard let route = try? routeLookup(to: server, mark: mark) else { return nil }
        if let mtu = links[route.interfaceIndex] { return mtu }
        let mtu = (try? link(index: route.interfaceIndex))?.mtu
        links[route.interfaceIndex] = mtu
        return mtu
    }
}
