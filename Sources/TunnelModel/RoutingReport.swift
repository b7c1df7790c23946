package import JSON

/// What the routes of a session promise, as `status` shows it.
package struct RoutingReport: Equatable, Sendable {
    package var mode: RoutingMode
    /// The networks that the tunnel does not take.
    package var excluded: [IPPrefix]
    /// `block` where all of IPv6 that the tunnel does not carry is held back, `leave` where it
    /// is left alone on purpose, `tunnel` where it goes as the routes say.
    package var ipv6: RoutingSettings.IPv6Policy

    /// A report of routes that promise nothing.
    package init(
        mode: RoutingMode = .plain,
        excluded: [IPPrefix] = [],
        ipv6: RoutingSettings.IPv6Policy = .tunnel
    ) {
        self.mode = mode
        self.excluded = excluded
        self.ipv6 = ipv6
    }

    /// A report of what a configuration asks for.
    package init(_ routing: RoutingSettings) {
        self.init(mode: routing.mode, excluded: routing.excludedRoutes, ipv6: routing.ipv6)
    }

    /// The promise in a few words.
    package var text: String {
        var parts = [mode.rawValue]
        if !excluded.isEmpty {
            let first = excluded.prefix(8).map(\.description)
            let rest = excluded.count - first.count
            parts.append(
                "without " + (first + (rest > 0 ? ["and \(rest) more"] : [])).joined(separator: " ")
            )
        }
        switch ipv6 {
        case .tunnel: break
        case .block: parts.append("IPv6 blocked")
        case .leave: parts.append("IPv6 left alone")
        }
        return parts.joined(separator: ", ")
    }

    init(_ node: JSONNode) throws(JSONError) {
        var reader = try JSONObjectReader(node)
        mode = try reader.choice("mode", default: .plain)
        excluded = try reader.prefixes("excluded") ?? []
        ipv6 = try reader.choice("ipv6", default: .tunnel)
    }
}

extension RoutingReport: JSONEncodable {
    package func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("mode", mode.rawValue)
            writer.member("excluded", excluded)
            writer.member("ipv6", ipv6.rawValue)
        }
    }
}
