import TestSupport

/// Whose program serves both ends of a tunnel.
enum Implementation: String, CaseIterable {
    case utunctl
    case wireguardGo = "wireguard-go"

    /// A tunnel to the far host, connected; those that are up together have different numbers.
    ///
    /// The near end has as many peers as it is told, of which one is there.
    func pair(with host: FarHost, number: Int = 0, peers: Int = 1) throws -> TunnelPair {
        let ends = try TunnelPair.Ends(host, number: number, peers: peers)
        switch self {
        case .utunctl:
            let far = try EnrolledTunnel(ends.far, at: Installation(at: host.place))
            try far.connect()
            let near = try EnrolledTunnel(ends.near, at: Installation())
            try near.connect()
            return TunnelPair(ends, near: near, far: far)
        case .wireguardGo:
            let far = try WireGuardGo(ends.far, interface: "bench\(number)", at: host.place)
            let near = try WireGuardGo(ends.near, interface: "bench\(number)")
            return TunnelPair(ends, near: near, far: far)
        }
    }
}
