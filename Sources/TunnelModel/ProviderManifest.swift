package import JSON

/// What a provider is and needs, as its manifest in `providers.d` says.
package struct ProviderManifest: Equatable, Sendable {
    /// The network namespace that the provider runs in.
    package enum Network: String, CaseIterable, Sendable {
        /// An empty one: the provider sees nothing but the sockets it is handed.
        case none
        /// That of the host.
        case host
    }

    /// The kind of trust anchors that the provider understands.
    package enum TrustKind: String, CaseIterable, Sendable {
        case x509, wireguard

        /// Whether an anchor of some kind is of use to the provider.
        package func accepts(_ kind: TrustAnchor.Kind) -> Bool {
            switch self {
            case .x509: kind == .x509 || kind == .pin
            case .wireguard: kind == .wireguard
            }
        }
    }

    /// How the provider wants its TUN queues.
    package struct TUN: Equatable, Sendable {
        /// Whether packets carry a `virtio_net_hdr` (IFF_VNET_HDR).
        package var vnetHeader = false
        /// How many queues; more than one needs IFF_MULTI_QUEUE.
        package var queues = 1
    }

    /// The version of the provider protocol that this program speaks.
    package static let protocolVersion: Int64 = 1

    package var identifier: String
    package var title: String
    /// An absolute path, taken below `--root`.
    package var executable: String
    package var protocolVersion: Int64
    package var network: Network
    package var tun = TUN()
    /// A pattern for the path of a control socket, which the host makes: `{interface}` stands
    /// for the name of the interface.
    package var controlSocket: String?
    /// The names of the credentials without which the provider cannot work.
    package var credentials: [String]
    package var trust: TrustKind?
    /// The keys whose change it takes while it runs.
    package var reload: [String] = []

    /// Reads a manifest.
    ///
    /// - Throws: `newerFormat` for a manifest of a later version.
    package init(_ node: JSONNode) throws(JSONError) {
        var reader = try JSONObjectReader(node)
        try reader.formatVersion(atMost: 1)
        identifier = try reader.string("identifier")
        if let problem = Naming.problem(ofProvider: identifier) {
            throw reader.mismatch("identifier", problem)
        }
        title = try reader.string("title", default: "")
        executable = try reader.string("executable")
        guard executable.utf8.first == UInt8(ascii: "/"), Naming.isFilePath(executable) else {
            throw reader.mismatch("executable", "not an absolute path")
        }
        protocolVersion = try reader.integer("protocolVersion", in: 1...Int64.max)
        network = try reader.choice("network", default: Network.none)
        if let node = reader.node("tun") {
            var inner = try JSONObjectReader(node)
            tun.vnetHeader = try inner.bool("vnetHeader", default: false)
            tun.queues = try inner.integer("queues", in: 1...16, default: 1)
            try inner.finish()
        }
        controlSocket = try reader.optionalString("controlSocket")
        if let controlSocket, !Self.isSocketPattern(controlSocket) {
            throw reader.mismatch(
                "controlSocket", "not an absolute path whose last part has one {interface}")
        }
        credentials = try reader.strings("credentials")
        trust = try reader.optionalChoice("trust")
        reload = try reader.strings("reload")
        if let key = reload.first(where: { !Self.mayTake($0) }) {
            throw reader.mismatch("reload", "\(key) is no key that a provider can take")
        }
        try reader.finish()
    }

    /// The path of the control socket for an interface; `nil` where none is wanted.
    ///
    /// It is no path below `--root`: programs of the protocol look nowhere else.
    package func controlSocketPath(interface: String) -> String? {
        guard let controlSocket, let place = Self.placeholder(in: controlSocket) else {
            return nil
        }
        return controlSocket[..<place.lowerBound] + interface
            + controlSocket[place.upperBound...]
    }

    private static func isSocketPattern(_ pattern: String) -> Bool {
        guard pattern.utf8.first == UInt8(ascii: "/"), Naming.isFilePath(pattern),
            let place = placeholder(in: pattern)
        else { return false }
        let braces = pattern.utf8.count { $0 == UInt8(ascii: "{") || $0 == UInt8(ascii: "}") }
        return braces == 2 && !pattern[place.upperBound...].utf8.contains(UInt8(ascii: "/"))
    }

    private static func placeholder(in pattern: String) -> Range<String.Index>? {
        let word = "{interface}".utf8
        var start = pattern.startIndex
        while start < pattern.endIndex {
            if pattern[start...].utf8.starts(with: word) {
                return start..<pattern.utf8.index(start, offsetBy: word.count)
            }
            start = pattern.utf8.index(after: start)
        }
        return nil
    }
}
