package import JSON

/// Something that is not as it should be with a tunnel, with a stable code.
package struct TunnelWarning: Error, Equatable, Sendable {
    /// The codes; part of the contract, never renamed.
    package enum Code: String, CaseIterable, Sendable {
        case leftovers
        case sessionHostSilent, sessionHostUnreachable, sessionHostForbidden
        case providerSilent
        case linkMissing, linkDown, addressMissing, routeMissing, ruleMissing
        case configurationRemoved, configurationDisabled, preferencesUnreadable
        case peerStale, peerUnverified
        case ipv6Unavailable
        case controlSocketTaken, controlSocketMissing
        case kernelUnreadable
        case firewallMissing, firewallUnavailable
        case routeShadowed, ruleShadowed, routesOverlap, endpointRouteLeaks
        case noUnderlyingNetwork, hostBlocked, paused
        case dnsChanged, dnsReduced
        case trustExpiring, trustExpired, trustNotYetValid, trustMissing
        case olderHost
    }

    package let code: Code
    package let text: String

    package init(_ code: Code, _ text: String) {
        self.code = code
        self.text = text
    }

    /// Whether a tunnel with this warning is less than connected.
    package var degrades: Bool {
        switch code {
        case .sessionHostSilent, .sessionHostUnreachable, .sessionHostForbidden, .providerSilent,
            .linkMissing, .linkDown, .addressMissing, .routeMissing, .ruleMissing, .peerStale,
            .peerUnverified, .kernelUnreadable, .routeShadowed, .ruleShadowed,
            .noUnderlyingNetwork, .firewallMissing, .dnsChanged, .paused:
            true
        case .leftovers, .configurationRemoved, .configurationDisabled, .preferencesUnreadable,
            .ipv6Unavailable, .controlSocketTaken, .controlSocketMissing, .routesOverlap,
            .endpointRouteLeaks, .hostBlocked, .firewallUnavailable, .dnsReduced,
            // What runs was checked when it started: the next start is what is refused.
            .trustExpiring, .trustExpired, .trustNotYetValid, .trustMissing,
            // An upgrade restarts nothing, and what runs goes on as it did.
            .olderHost:
            false
        }
    }
}

extension TunnelWarning: JSONEncodable {
    package func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("code", code.rawValue)
            writer.member("text", text)
            writer.member("degrades", degrades)
        }
    }
}

extension TunnelWarning {
    /// The warnings of an array; one of a code that this version does not know is left out.
    static func all(_ nodes: [JSONNode]) throws(JSONError) -> [TunnelWarning] {
        var warnings: [TunnelWarning] = []
        for node in nodes {
            var reader = try JSONObjectReader(node)
            let text = try reader.string("text")
            guard let code = Code(rawValue: try reader.string("code")) else { continue }
            warnings.append(TunnelWarning(code, text))
        }
        return warnings
    }
}
