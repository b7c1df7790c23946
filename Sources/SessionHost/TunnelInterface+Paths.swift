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
        return surroundings.servers.sorted().prefix(Self.mostPaths).compactMap { server in
            guard let known = OutsideSocket.pathMTU(to: server.bytes, isMarked: isMarked) else {
                return nil
            }
            // What a route allows the kernel does not compare with what its link takes.
            let limit = linkMTU(to: server, isMarked ? OutsideSocket.mark : nil, &links)
            return PathMTU(server: server, mtu: min(known, limit ?? known))
        }
    }

    private func linkMTU(to server: IPAddress, _ mark: UInt32?, _ links: inout [UInt32: UInt32])
        -> UInt32?
    {
        guard let route = try? kernel.routeLookup(to: server, mark: mark) else { return nil }
        if let mtu = links[route.interfaceIndex] { return mtu }
        let mtu = try? kernel.link(index: route.interfaceIndex)?.mtu
        links[route.interfaceIndex] = mtu
        return mtu
    }
}
