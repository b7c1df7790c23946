package import JSON

/// What the routes of a tunnel promise, from the least to the most.
package enum RoutingMode: String, CaseIterable, Sendable {
    /// The longest prefix wins: a more specific route of the host goes before the tunnel's.
    case plain
    /// The tunnel's routes go before all others of the host.
    case enforced
    /// Everything goes by the tunnel, or nowhere: the kill switch.
    case all
}

/// What goes through the tunnel, and what must not leave beside it.
package struct RoutingSettings: Equatable, Sendable {
    /// What happens to IPv6 when the tunnel carries none.
    package enum IPv6Policy: String, CaseIterable, Sendable {
        case tunnel, block, leave
    }

    /// How long a kill switch lasts.
    package enum Lockdown: String, CaseIterable, Sendable {
        case session, always
    }

    /// Exactly these routes; `nil` takes what the provider asks for.
    package var includedRoutes: [IPPrefix]?
    package var excludedRoutes: [IPPrefix] = []
    package var includeAllNetworks = false
    package var excludeLocalNetworks = false
    package var enforceRoutes = false
    package var ipv6 = IPv6Policy.tunnel
    package var lockdown = Lockdown.session
    package var resolveWhileBlocked = true
    package var forward = false
    package var masquerade = false
    package var mssClamp = false

    /// The defaults.
    package init() {}

    /// What the routes promise.
    package var mode: RoutingMode {
        if includeAllNetworks { return .all }
        return enforceRoutes ? .enforced : .plain
    }

    /// Whether what blocks the host stays when a session ends so.
    package func keepsBlock(after code: DisconnectCode) -> Bool {
        mode == .all && (lockdown == .always || !code.liftsBlock)
    }

    /// What of some settings stands against each other, by its key.
    private static func contradiction(_ settings: RoutingSettings) -> (key: String, text: String)? {
        let excluded = settings.excludedRoutes.map(\.masked)
        let included = Set((settings.includedRoutes ?? []).map(\.masked))
        if let both = excluded.first(where: { included.contains($0) }) {
            return ("excludedRoutes", "\(both) is in includedRoutes too")
        }
        let kept: [IPAddress.Family] =
            settings.mode == .all ? [.v4, .v6] : settings.ipv6 == .block ? [.v6] : []
        for family in kept where IPPrefix.coversWholeFamily(excluded, family) {
            let key = settings.mode == .all ? "includeAllNetworks" : "ipv6 \"block\""
            return ("excludedRoutes", "all of IP\(family) is excluded, which \(key) forbids")
        }
        if settings.mode == .all, settings.ipv6 == .leave {
            let text = "\"leave\" lets IPv6 out beside the tunnel: not with includeAllNetworks"
            return ("ipv6", text)
        }
        return nil
    }

    /// The first key in use that is about the whole host and its other links.
    var keyOfWholeHost: String? {
        let keys = [
            ("includeAllNetworks", includeAllNetworks), ("forward", forward),
            ("masquerade", masquerade), ("mssClamp", mssClamp),
        ]
        return keys.first { $0.1 }?.0
    }

    init(_ node: JSONNode) throws(JSONError) {
        var reader = try JSONObjectReader(node)
        includedRoutes = try reader.prefixes("includedRoutes")
        excludedRoutes = try reader.prefixes("excludedRoutes") ?? []
        includeAllNetworks = try reader.bool("includeAllNetworks", default: false)
        excludeLocalNetworks = try reader.bool("excludeLocalNetworks", default: false)
        enforceRoutes = try reader.bool("enforceRoutes", default: false)
        ipv6 = try reader.choice("ipv6", default: .tunnel)
        lockdown = try reader.choice("lockdown", default: .session)
        resolveWhileBlocked = try reader.bool("resolveWhileBlocked", default: true)
        forward = try reader.bool("forward", default: false)
        masquerade = try reader.bool("masquerade", default: false)
        mssClamp = try reader.bool("mssClamp", default: false)
        try reader.finish()
        // In plain mode local networks are nearer than the tunnel anyway.
        if excludeLocalNetworks, mode == .plain {
            throw reader.mismatch(
                "excludeLocalNetworks", "needs enforceRoutes or includeAllNetworks")
        }
        if let problem = Self.contradiction(self) {
            throw reader.mismatch(problem.key, problem.text)
        }
        if lockdown == .always, mode != .all {
            throw reader.mismatch("lockdown", "\"always\" needs includeAllNetworks")
        }
    }
}

extension RoutingSettings: JSONEncodable {
    package func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("includedRoutes", includedRoutes)
            writer.member("excludedRoutes", excludedRoutes)
            writer.member("includeAllNetworks", includeAllNetworks)
            writer.member("excludeLocalNetworks", excludeLocalNetworks)
            writer.member("enforceRoutes", enforceRoutes)
            writer.member("ipv6", ipv6.rawValue)
            writer.member("lockdown", lockdown.rawValue)
            writer.member("resolveWhileBlocked", resolveWhileBlocked)
            writer.member("forward", forward)
            writer.member("masquerade", masquerade)
            writer.member("mssClamp", mssClamp)
        }
    }
}
