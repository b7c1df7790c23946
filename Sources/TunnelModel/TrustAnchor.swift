package import JSON

/// Public material that a configuration may trust, under a name.
package struct TrustAnchor: Equatable, Sendable {
    /// What the material is.
    package enum Kind: String, CaseIterable, Sendable {
        /// The public key of a WireGuard peer.
        case wireguard
        /// A certificate.
        case x509
        /// The hash of a certificate's public key.
        case pin

        /// The key under which the value of an anchor stands.
        package var valueKey: String {
            switch self {
            case .wireguard: "publicKey"
            case .x509: "pem"
            case .pin: "sha256"
            }
        }
    }

    /// The bare name in a profile; `PROFILE/ANCHOR` for whoever is handed it.
    package let name: String
    package let kind: Kind
    /// The public key in base64, the certificate as PEM, or the hash in hexadecimal digits.
    package let value: String
    /// What the certificate says of itself, found when it was enrolled; `nil` for other kinds.
    package var certificate: CertificateDescription?

    package init(
        name: String,
        kind: Kind,
        value: String,
        certificate: CertificateDescription? = nil
    ) {
        self.name = name
        self.kind = kind
        self.value = value
        self.certificate = certificate
    }

    /// Reads an anchor; an unknown key is an error where that `isStrict`, as in a file, and is
    /// passed over in the provider protocol.
    package init(_ node: JSONNode, isStrict: Bool) throws(JSONError) {
        var reader = try JSONObjectReader(node)
        name = try reader.string("name")
        kind = try reader.choice("kind", default: nil)
        value = try reader.string(kind.valueKey)
        if let problem = Self.problem(of: value, kind) {
            throw reader.mismatch(kind.valueKey, problem)
        }
        guard isStrict else { return }
        if kind == .x509 {
            certificate = try reader.node("certificate").map { (node) throws(JSONError) in
                try CertificateDescription(node)
            }
        }
        try reader.finish()
    }

    /// The anchor under the name by which configurations refer to it, as a provider needs it.
    package func named(in profile: String) -> TrustAnchor {
        TrustAnchor(name: "\(profile)/\(name)", kind: kind, value: value)
    }

    private static func problem(of value: String, _ kind: Kind) -> String? {
        switch kind {
        case .wireguard:
            if let problem = WireGuardKey.problem(of: value) { return problem }
            let isZero = WireGuardKey.decode(value.utf8)?.allSatisfy { $0 == 0 } ?? true
            return isZero ? "not a key: nothing but zeros" : nil
        case .x509:
            return CertificatePEM.problem(of: value)
        case .pin:
            let isHash = value.utf8.count == 64 && value.utf8.allSatisfy(isHexadecimal)
            return isHash ? nil : "not 64 hexadecimal digits"
        }
    }

    private static func isHexadecimal(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x46, 0x61...0x66: true
        default: false
        }
    }
}

extension TrustAnchor: JSONEncodable {
    package func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("name", name)
            writer.member("kind", kind.rawValue)
            writer.member(kind.valueKey, value)
            if let certificate { writer.member("certificate", certificate) }
        }
    }
}

/// The name by which a configuration refers to an enrolled anchor: `PROFILE/ANCHOR`.
package struct AnchorReference: Hashable, Sendable {
    package let profile: String
    package let anchor: String

    /// Reads a reference; a name of any other form is none.
    package init?(_ text: String) {
        let parts = text.utf8.split(
            separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        guard parts.count == 2 else { return nil }
        profile = String(Substring(parts[0]))
        anchor = String(Substring(parts[1]))
        guard Naming.problem(ofProfile: profile) == nil, Naming.problem(ofAnchor: anchor) == nil
        else { return nil }
    }
}
