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
