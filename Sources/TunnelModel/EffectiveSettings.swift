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
        guard rejections.isEmpty else { return .rejected(rejections) }
        return .accepted(
            EffectiveSettings(addresses: addresses, includedRoutes: routes, mtu: mtu))
    }

    /// What a derivation comes to.
    package enum Outcome: Equatable, Sendable {
        case accepted(EffectiveSettings)
        case rejected([SettingsRejection])
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
        for address in asked.addresses
        where !isAllowed(address.address) || address.address.isUnspecified {
            let text = "\(address) is not an address for a tunnel"
            rejections.append(SettingsRejection(key: "addresses", text: text))
        }
        return merged(asked.addresses)
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
        if wishes.count > mostRoutes { reject("more than \(mostRoutes) routes") }
        if let allowed {
            for wish in wishes where !allowed.contains(where: { $0.contains(wish) }) {
                reject("\(wish) is wider than routing.includedRoutes of the configuration")
            }
        } else {
            for family in [IPAddress.Family.v4, .v6]
            where IPPrefix.coversWholeFamily(wishes, family) {
                reject("a default route (\(family)) is nothing that the configuration asks for")
            }
        }
        let routes = merged(allowed ?? wishes)
        for route in routes where !route.isDefault && !isAllowed(route.address) {
            reject("\(route) never goes through a tunnel")
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
