internal import JSON

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

extension Configuration {
    /// Everything in the configuration that is to come by enrolment or as a credential.
    ///
    /// What a text is by its form is looked for everywhere; what a key tells by its name, in
    /// `providerConfiguration` alone, which is free-form for most providers.
    package var misplacedMaterial: [MisplacedMaterial] {
        var search = MaterialSearch(
            credentials: Set(credentials.keys), anchors: Set(trust))
        search.look(at: .object(JSONObject(writing: self)), "", key: nil)
        return search.found
    }
}

/// The walk through the values of a configuration.
private struct MaterialSearch {
    let credentials: Set<String>
    let anchors: Set<String>
    private(set) var found: [MisplacedMaterial] = []

    init(credentials: Set<String>, anchors: Set<String>) {
        self.credentials = credentials
        self.anchors = anchors
    }

    /// Looks at a value; `key` is the name that it goes by, where names count.
    mutating func look(at value: JSONValue, _ path: String, key: MaterialName?) {
        switch value {
        case .object(let object):
            for member in object.members { look(at: member, below: path, namesCount: key != nil) }
        case .array(let elements):
            for (index, element) in elements.enumerated() {
                look(at: element, "\(path)[\(index)]", key: key)
            }
        case .string(let text):
            if let kind = MaterialForm.kind(of: text) ?? key.flatMap({ kind(of: text, $0) }) {
                found.append(MisplacedMaterial(path: path, kind: kind))
            } else if key?.switchesOff(value) == true {
                found.append(MisplacedMaterial(path: path, kind: .unverified))
            }
        case .integer, .bool, .real:
            if case .integer = value, key?.isPassword == true {
                found.append(MisplacedMaterial(path: path, kind: .secret))
            } else if key?.switchesOff(value) == true {
                found.append(MisplacedMaterial(path: path, kind: .unverified))
            }
        case .null: break
        }
    }

    private mutating func look(at member: JSONObject.Member, below path: String, namesCount: Bool) {
        // A name may be the key itself, which is not to be repeated.
        if let kind = MaterialForm.kind(of: member.key) {
            found.append(MisplacedMaterial(path: path.isEmpty ? "a name" : path, kind: kind))
            return
        }
        let isOwn = path.isEmpty && member.key == "providerConfiguration"
        look(
            at: member.value, path.isEmpty ? member.key : "\(path).\(member.key)",
            key: namesCount || isOwn ? MaterialName(member.key) : nil)
    }

    /// What a text is under a key that is named after what it holds.
    private func kind(of text: String, _ key: MaterialName) -> MisplacedMaterial.Kind? {
        if key.isSecret, !credentials.contains(text), !MaterialName.isNoSecret(text) {
            return .secret
        }
        if key.isPublicKey, !text.isEmpty, !anchors.contains(text) { return .trust }
        return key.isPin && MaterialForm.isHash(text) ? .trust : nil
    }
}
