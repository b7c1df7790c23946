package import JSON

/// Something that is not as it should be with a tunnel, with a stable code.
package struct TunnelWarning: Equatable, Sendable {
    /// The codes; part of the contract, never renamed.
    package enum Code: String, CaseIterable, Sendable {
        case leftovers
        case sessionHostSilent, sessionHostUnreachable, sessionHostForbidden
        case providerSilent
        case linkMissing, linkDown, addressMissing, routeMissing, ruleMissing
        case configurationRemoved, configurationDisabled, preferencesUnreadable
        case peerStale
        case ipv6Unavailable
        case kernelUnreadable
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
            .kernelUnreadable:
            true
        case .leftovers, .configurationRemoved, .configurationDisabled, .preferencesUnreadable,
            .ipv6Unavailable:
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
