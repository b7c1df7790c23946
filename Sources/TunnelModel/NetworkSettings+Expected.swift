extension NetworkSettings {
    /// What the provider of a configuration will ask for, where that follows from the
    /// configuration alone, as with the providers of this project; `nil` for any other.
    package static func expected(of configuration: Configuration) -> NetworkSettings? {
        let values = configuration.providerConfiguration
        switch configuration.provider {
        case WireGuardConfiguration.provider:
            return (try? WireGuardConfiguration(values))?.networkSettings(under: configuration)
        case LoopbackConfiguration.provider:
            return (try? LoopbackConfiguration(values))?
                .networkSettings(identifier: configuration.identifier)
        default: return nil
        }
    }
}

extension WireGuardConfiguration {
    /// What a message adds to a packet at most: IPv6, UDP, header and tag.
    private static let overhead: UInt32 = 80
    private static let overheadIPv4: UInt32 = 60

    /// What the provider asks the host to set up.
    package func networkSettings(under configuration: Configuration) -> NetworkSettings {
        var settings = NetworkSettings()
        settings.addresses = addresses
        settings.overhead = Self.overhead
        settings.overheadIPv4 = Self.overheadIPv4
        // A list of routes is the whole of them: to ask for others would be refused.
        guard configuration.routing.includedRoutes == nil else { return settings }
        // Allowed to come through the tunnel, but never routed to one as a whole.
        let routes = peers.flatMap(\.allowedIPs).map(\.masked).filter { prefix in
            prefix.isDefault
                || !(prefix.address.isLinkLocal || prefix.address.isMulticast
                    || prefix.address.isLoopback)
        }
        var seen: Set<IPPrefix> = []
        settings.includedRoutes = routes.filter { seen.insert($0).inserted }
        return settings
    }
}

extension LoopbackConfiguration {
    /// What the provider asks the host to set up.
    package func networkSettings(identifier: String) -> NetworkSettings {
        var settings = NetworkSettings()
        settings.addresses = tunnelAddresses(identifier: identifier)
        settings.includedRoutes = includedRoutes
        settings.mtu = mtu
        return settings
    }
}
