internal import TunnelModel

extension QuickExport {
    /// What a file of wg-quick has no word for, where it differs from the default.
    static func omissions(_ configuration: Configuration, _ own: WireGuardConfiguration)
        -> [Omission]
    {
        let plain = Configuration(identifier: "", name: "")
        let keys: [(String, Bool)] =
            [
                ("title", configuration.title != plain.title),
                ("enabled", configuration.enabled != plain.enabled),
                ("username", configuration.username != plain.username),
                ("interface.name", configuration.interface.name != plain.interface.name),
                ("interface.networkNamespace", configuration.interface.networkNamespace != nil),
            ] + routing(configuration.routing) + [
                (
                    "dns.searchDomains",
                    configuration.dns.searchDomains != domains(configuration.dns)
                ),
                ("dns.matchDomains", !configuration.dns.matchDomains.isEmpty),
                ("dns.tls", configuration.dns.tls),
                ("onDemand", configuration.onDemand != plain.onDemand),
                ("disconnectOnSleep", configuration.disconnectOnSleep),
                ("idleTimeout", configuration.idleTimeout != plain.idleTimeout),
                ("livenessInterval", configuration.livenessInterval != plain.livenessInterval),
                ("startTimeout", configuration.startTimeout != plain.startTimeout),
                ("stopTimeout", configuration.stopTimeout != plain.stopTimeout),
            ]
            + own.peers.enumerated().map { index, peer in
                ("providerConfiguration.peers[\(index)].optional", peer.optional)
            } + unused(configuration, own)
        return keys.filter(\.1).map { key, _ in (key, text(of: key)) }
    }

    private static func routing(_ routing: RoutingSettings) -> [(String, Bool)] {
        let plain = RoutingSettings()
        return [
            ("routing.includedRoutes", routing.includedRoutes?.isEmpty == false),
            ("routing.excludedRoutes", routing.excludedRoutes != plain.excludedRoutes),
            ("routing.includeAllNetworks", routing.includeAllNetworks),
            ("routing.excludeLocalNetworks", routing.excludeLocalNetworks),
            ("routing.enforceRoutes", routing.enforceRoutes),
            ("routing.ipv6", routing.ipv6 != plain.ipv6),
            ("routing.lockdown", routing.lockdown != plain.lockdown),
            (
                "routing.resolveWhileBlocked",
                routing.resolveWhileBlocked != plain.resolveWhileBlocked
            ),
        ]
    }

    /// Trust and credentials that no peer refers to.
    private static func unused(_ configuration: Configuration, _ own: WireGuardConfiguration)
        -> [(String, Bool)]
    {
        let trusted = Set(own.peers.map(\.trust))
        let credentials = Set(own.peers.compactMap(\.presharedKey) + ["privateKey"])
        return configuration.trust.enumerated().map { index, name in
            ("trust[\(index)]", !trusted.contains(name))
        }
            + configuration.credentials.keys.sorted().map { name in
                ("credentials.\(name)", !credentials.contains(name))
            }
    }

    private static func text(of key: String) -> String {
        switch key {
        case "interface.name": "wg-quick names the interface as the file"
        case "routing.includeAllNetworks": "the file has no kill switch"
        case "dns.searchDomains": "a domain to search that the file cannot hold"
        default: "a file of wg-quick has no word for it"
        }
    }
}
