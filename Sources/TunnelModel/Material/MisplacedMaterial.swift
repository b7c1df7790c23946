/// Something in a configuration that has a door of its own.
///
/// Trust arrives by enrolment, secrets are credentials, and neither is switched off. It never
/// holds the value, which may be a secret.
package struct MisplacedMaterial: Error, Equatable, Sendable {
    /// What it is, as far as its form or the name of its key tells.
    package enum Kind: CaseIterable, Sendable {
        /// A password, a private key or a preshared one.
        case secret
        /// A certificate, a public key or the hash of one.
        case trust
        /// A key, private or public.
        case key
        /// A switch that makes the provider trust whoever answers.
        case unverified
    }

    /// The JSON path of the key.
    package let path: String
    package let kind: Kind

    package init(path: String, kind: Kind) {
        self.path = path
        self.kind = kind
    }

    /// The same in a document in which the configuration stands at `place`.
    package func moved(below place: String) -> MisplacedMaterial {
        place.isEmpty ? self : MisplacedMaterial(path: "\(place).\(path)", kind: kind)
    }

    /// Where and what, on one line.
    package var text: String {
        let problem =
            switch kind {
            case .secret: "a secret has no place in a configuration, the name of a credential has"
            case .trust:
                "a certificate or public key has no place in a configuration, the name of an"
                    + " enrolled anchor in trust has"
            case .key: "a key has no place in a configuration"
            case .unverified: "verification of the peer cannot be switched off"
            }
        return "\(path): \(problem)"
    }
}
