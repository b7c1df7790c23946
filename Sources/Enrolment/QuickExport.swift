package import TunnelModel

/// A configuration as a file of wg-quick(8), and what such a file has no word for.
///
/// The same configuration is always the same bytes.
package struct QuickExport: Sendable {
    /// A key of the configuration, as a JSON path, that the file does not hold, and why.
    package typealias Omission = (path: String, text: String)

    /// The file, with its keys in it.
    package let file: Secret
    package let omissions: [Omission]

    /// Writes what is enrolled as one file.
    ///
    /// `publicKeys` are those of the anchors by their names, `secrets` those of the credentials
    /// by the names under which the provider asks for them.
    package init(
        _ configuration: Configuration,
        _ own: WireGuardConfiguration,
        publicKeys: [String: String],
        secrets: [String: Secret]
    ) {
        var text = QuickText()
        text.section("Interface")
        text.line(.privateKey, secrets["privateKey"]?.bytes)
        text.line(.listenPort, own.listenPort)
        text.line(.address, list: own.addresses)
        text.line(.dns, list: Self.resolvers(configuration.dns))
        text.line(.mtu, configuration.interface.mtu)
        if configuration.routing.includedRoutes == [] { text.line(.table, "off") }
        let hooks = RoutingHooks(configuration.routing, addresses: own.addresses)
        for command in hooks.up { text.line(.postUp, command) }
        for command in hooks.down { text.line(.postDown, command) }
        for peer in own.peers {
            text.section("Peer")
            text.line(.publicKey, publicKeys[peer.trust])
            text.line(.presharedKey, peer.presharedKey.flatMap { secrets[$0]?.bytes })
            text.line(.endpoint, peer.endpoint?.text)
            text.line(.allowedIPs, list: peer.allowedIPs)
            text.line(.persistentKeepalive, peer.persistentKeepalive)
        }
        file = Secret(text.bytes)
        omissions = Self.omissions(configuration, own)
    }

    /// The domains that a file can hold: it takes none without a server, nor what might be a key.
    static func domains(_ dns: DNSSettings) -> [String] {
        dns.servers.isEmpty ? [] : dns.searchDomains.filter { !InterfaceSection.mayBeKey($0) }
    }

    private static func resolvers(_ dns: DNSSettings) -> [String] {
        dns.servers.map(\.description) + domains(dns)
    }
}

/// The lines of a file, as bytes: some of them are secret.
private struct QuickText {
    private(set) var bytes: [UInt8] = []

    mutating func section(_ name: String) {
        if !bytes.isEmpty { bytes.append(UInt8(ascii: "\n")) }
        bytes += "[\(name)]\n".utf8
    }

    mutating func line(_ key: QuickKey, _ value: [UInt8]?) {
        guard let value else { return }
        bytes += "\(key.rawValue) = ".utf8 + value + "\n".utf8
    }

    mutating func line(_ key: QuickKey, _ value: (some CustomStringConvertible)?) {
        line(key, value.map { Array($0.description.utf8) })
    }

    mutating func line(_ key: QuickKey, list: [some CustomStringConvertible]) {
        guard !list.isEmpty else { return }
        line(key, list.map(\.description).joined(separator: ", "))
    }
}
