extension Configuration {
    /// The host names of servers that have to be resolved, each once.
    package var serverNames: [String] {
        var seen: Set<String> = []
        return servers.filter { $0.literal == nil && seen.insert($0.host).inserted }.map(\.host)
    }

    /// The server addresses that need no resolving, by the way they are written, each once.
    package var serverLiterals: [(name: String, address: IPAddress)] {
        var seen: Set<String> = []
        return servers.compactMap { server in
            guard let address = server.literal, seen.insert(server.host).inserted else {
                return nil
            }
            return (server.host, address)
        }
    }

    /// The names of the peers that the tunnel is to reach by itself; `nil` for a provider whose
    /// configuration has no peers.
    package var soughtPeers: Set<String>? {
        wireGuard.map { Set($0.peers.filter { $0.endpoint != nil }.map(\.trust)) }
    }

    /// Whether the configuration itself asks for a default route of a family.
    package func asksForDefaultRoute(_ family: IPAddress.Family) -> Bool {
        if routing.includeAllNetworks { return true }
        guard let wireGuard else { return false }
        return IPPrefix.coversWholeFamily(wireGuard.peers.flatMap(\.allowedIPs), family)
    }

    /// The server, or for a provider whose configuration has many of them all of these.
    var servers: [ServerAddress] {
        let named = serverAddress.flatMap { ServerAddress($0) }
        return [named].compactMap(\.self) + (wireGuard?.peers.compactMap(\.endpoint) ?? [])
    }

    private var wireGuard: WireGuardConfiguration? {
        guard provider == WireGuardConfiguration.provider else { return nil }
        return try? WireGuardConfiguration(providerConfiguration)
    }
}
