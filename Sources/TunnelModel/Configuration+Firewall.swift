extension Configuration {
    /// The endpoints of the servers, by what their names resolve to.
    package func endpoints(_ resolved: [String: [IPAddress]]) -> Set<FirewallEndpoint> {
        // WireGuard's packets are UDP; of another provider nothing is known.
        let transports: [FirewallEndpoint.Transport] =
            provider == WireGuardConfiguration.provider ? [.udp] : [.udp, .tcp]
        var endpoints: Set<FirewallEndpoint> = []
        for server in servers {
            for address in resolved[server.host] ?? [] {
                for transport in transports {
                    endpoints.insert(
                        FirewallEndpoint(address, port: server.port, transport))
                }
            }
        }
        return endpoints
    }

    /// Whether something of it is to be had by a firewall alone.
    package var needsFirewall: Bool {
        routing.mode == .all || routing.forward || routing.masquerade || routing.mssClamp
    }
}
