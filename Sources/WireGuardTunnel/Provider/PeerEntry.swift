import TunnelModel
import WireGuard

/// What is known of a peer beside what the device knows: names, for people and the resolver.
struct PeerEntry {
    /// The number of the peer in the device.
    let number: Int32
    let configuration: WireGuardConfiguration.Peer
    let publicKey: PublicKey

    /// Whether the tunnel is to prove that it reaches this peer.
    var isSought: Bool { configuration.endpoint != nil }

    /// The name to be resolved, where the endpoint is written as one.
    var hostName: String? {
        configuration.endpoint.flatMap { $0.literal == nil ? $0.host : nil }
    }

    /// The same, by the addresses of its name among those of all.
    func candidates(among resolved: [String: [IPAddress]]) -> [Endpoint] {
        candidates(hostName.flatMap { resolved[$0] } ?? [])
    }

    /// The endpoints that the addresses of the host make, families in turn: where one family
    /// leads nowhere, the second try already takes the other.
    func candidates(_ addresses: [IPAddress]) -> [Endpoint] {
        guard let endpoint = configuration.endpoint, let port = endpoint.port else { return [] }
        let known = endpoint.literal.map { [$0] } ?? addresses
        var families = [
            known.filter { $0.family == known.first?.family }[...],
            known.filter { $0.family != known.first?.family }[...],
        ]
        var result: [Endpoint] = []
        while families.contains(where: { !$0.isEmpty }) {
            for index in families.indices {
                if let address = families[index].popFirst() {
                    result.append(Endpoint(address, port: port))
                }
            }
        }
        return result
    }
}
