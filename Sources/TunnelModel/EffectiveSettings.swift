package import JSON

/// One wish of a provider that its configuration does not allow.
package struct SettingsRejection: Equatable, Sendable, JSONEncodable {
    package let key: String
    package let text: String

    package init(key: String, text: String) {
        self.key = key
        self.text = text
    }

    package func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("key", key)
            writer.member("text", text)
        }
    }
}

/// The settings that are put into force: the provider asks, the configuration bounds.
package struct EffectiveSettings: Equatable, Sendable {
    package let addresses: [IPPrefix]
    package let includedRoutes: [IPPrefix]
    package let mtu: UInt32

    /// The MTU of a path of which nothing is known, in bytes.
    package static let ethernetMTU: UInt32 = 1500
    /// The smallest MTU that the kernel runs IPv6 on (RFC 8200, section 5).
    package static let leastIPv6MTU: UInt32 = 1280
    /// More addresses than any tunnel has.
    package static let mostAddresses = 64
    /// How many rejections are told one by one.
    package static let mostRejections = 16
    /// The widest network of an address of a tunnel, as a prefix length.
    package static func widestNetwork(_ family: IPAddress.Family) -> Int {
        family == .v4 ? 8 : 16
    }
    /// More routes than any tunnel has.
    package static let mostRoutes = 50_000

    /// What of `asked` is in force under `configuration`, or everything that is not allowed.
    package static func derive(from asked: NetworkSettings, for configuration: Configuration)
        -> Outcome
    {
        var rejections: [SettingsRejection] = []
        let addresses = checkAddresses(asked, &rejections)
        let routes = checkRoutes(asked, configuration, &rejections)
        if let dns = asked.dns, dns != DNSSettings() {
            rejections.append(
                SettingsRejection(key: "dns", text: "this version sets no resolver for a tunnel"))
        }
        let mtu =
            configuration.interface.mtu ?? asked.mtu ?? ethernetMTU - (asked.overhead ?? 0)
        let needsIPv6 = (addresses + routes).contains { $0.address.family == .v6 }
        if needsIPv6, mtu < leastIPv6MTU {
            let text = "IPv6 needs an MTU of at least \(leastIPv6MTU), not \(mtu)"
            rejections.append(SettingsRejection(key: "mtu", text: text))
        }
        guard rejections.isEmpty else { return .rejected(shortened(rejections)) }
        return .accepted(
            EffectiveSettings(addresses: addresses, includedRoutes: routes, mtu: mtu))
    }

    /// What is left of the settings on a host without IPv6.
    package var withoutIPv6: EffectiveSettings {
        EffectiveSettings(
            addresses: addresses.filter { $0.family == .v4 },
            includedRoutes: includedRoutes.filter { $0.family == .v4 }, mtu: mtu)
    }

    /// What a derivation comes to.
    package enum Outcome: Equatable, Sendable {
        case accepted(EffectiveSettings)
        case rejected([SettingsRejection])
    }

    // A line of the protocol has its bounds, and 50,000 wishes may all be wrong.
    private static func shortened(_ rejections: [SettingsRejection]) -> [SettingsRejection] {
        let rest = rejections.dropFirst(mostRejections)
        guard let first = rest.first else { return rejections }
        return rejections.prefix(mostRejections)
            + [SettingsRejection(key: first.key, text: "and \(rest.count) more")]
    }

    private static func checkAddresses(
        _ asked: NetworkSettings,
        _ rejections: inout [SettingsRejection]
    ) -> [IPPrefix] {
        if asked.addresses.isEmpty {
            rejections.append(SettingsRejection(key: "addresses", text: "no address asked for"))
        }
        if asked.addresses.count > mostAddresses {
            let text = "more than \(mostAddresses) addresses"
            rejections.append(SettingsRejection(key: "addresses", text: text))
        }
        for address in asked.addresses {
            guard let problem = problem(ofAddress: address) else { continue }
            rejections.append(SettingsRejection(key: "addresses", text: problem))
        }
        return merged(asked.addresses)
    }

    /// What keeps an address from being one of a tunnel.
    package static func problem(ofAddress address: IPPrefix) -> String? {
        if !isAllowed(address.address) || address.address.isUnspecified {
            return "\(address) is not an address for a tunnel"
        }
        // With each address the kernel makes a route to its network: 128.0.0.1/1 would be
        // half of a default route.
        let widest = widestNetwork(address.family)
        return address.length < widest ? "\(address) has a network wider than /\(widest)" : nil
    }

    private static func checkRoutes(
        _ asked: NetworkSettings,
        _ configuration: Configuration,
        _ rejections: inout [SettingsRejection]
    ) -> [IPPrefix] {
        let wishes = (asked.includedRoutes ?? []).map(\.masked)
        let allowed = configuration.routing.includedRoutes?.map(\.masked)
        func reject(_ text: String) {
            rejections.append(SettingsRejection(key: "includedRoutes", text: text))
        }
        guard wishes.count <= mostRoutes else {
            reject("more than \(mostRoutes) routes")
            return []
        }
        if let allowed {
            let bounds = PrefixIndex(allowed)
            for wish in wishes where !bounds.holds(wish) {
                reject("\(wish) is wider than routing.includedRoutes of the configuration")
            }
        } else {
            for family in [IPAddress.Family.v4, .v6]
            where IPPrefix.coversWholeFamily(wishes, family)
                && !configuration.asksForDefaultRoute(family)
            {
                reject("a default route (\(family)) is nothing that the configuration asks for")
            }
        }
        var routes = merged(allowed ?? wishes)
        for route in routes where !route.isDefault && !isAllowed(route.address) {
            reject("\(route) never goes through a tunnel")
        }
        if configuration.routing.mode == .all {
            // Of a family without an address packets would only be lost in the tunnel.
            let families = Set(asked.addresses.map(\.family))
            let wanted = [IPPrefix.defaultV4, .defaultV6].filter { families.contains($0.family) }
            routes += wanted.filter { !routes.contains($0) }
        }
        return routes
    }

    // Loopback, link-local and multicast stay on the host and its links whatever anybody asks.
    private static func isAllowed(_ address: IPAddress) -> Bool {
        !(address.isLoopback || address.isLinkLocal || address.isMulticast)
    }

    private static func merged(_ prefixes: [IPPrefix]) -> [IPPrefix] {
        var seen: Set<IPPrefix> = []
        return prefixes.filter { seen.insert($0).inserted }
    }
}
