package import JSON

extension Configuration {
    /// Everything in the configuration that is to come by enrolment or as a credential.
    package var misplacedMaterial: [MisplacedMaterial] {
        var rule = MaterialRule()
        return rule.material(in: self)
    }
}

/// The rule that no configuration holds trust or secrets; for several one after the other.
///
/// What a text is by its form is looked for everywhere; what a key tells by its name, in
/// `providerConfiguration` alone, which is free-form for most providers.
package struct MaterialRule {
    /// What the names that were met tell: configurations have them all alike.
    private var names: [String: MaterialName] = [:]
    private var credentials: [String: String] = [:]
    private var anchors: [String] = []
    private var found: [MisplacedMaterial] = []

    package init() {}

    /// Everything in a configuration that has no place there, in its order.
    package mutating func material(in configuration: Configuration) -> [MisplacedMaterial] {
        credentials = configuration.credentials
        anchors = configuration.trust
        found = []
        look(at: configuration.title, "title")
        look(at: configuration.serverAddress, "serverAddress")
        look(at: configuration.username, "username")
        for (index, name) in anchors.enumerated() { look(at: name, "trust[\(index)]") }
        for (name, reference) in credentials.sorted(by: { $0.key < $1.key }) {
            // A name may be the key itself, which is not to be repeated.
            if !look(at: name, "credentials") { look(at: reference, "credentials.\(name)") }
        }
        look(at: .object(configuration.providerConfiguration), "providerConfiguration", key: nil)
        look(at: configuration.interface.name, "interface.name")
        look(at: configuration.interface.networkNamespace, "interface.networkNamespace")
        if configuration.dns != DNSSettings() {
            look(at: JSONObject(writing: configuration.dns), "dns")
        }
        if configuration.onDemand != OnDemandSettings() {
            look(at: JSONObject(writing: configuration.onDemand), "onDemand")
        }
        return found
    }

    /// The first material that a whole file holds by its form, in its keys or its values, but for
    /// the paths that it belongs to.
    package static func material(
        inFile value: JSONValue,
        _ path: String = "",
        except isRightful: (String) -> Bool
    ) -> MisplacedMaterial? {
        switch value {
        case .string(let text):
            guard !isRightful(path), let kind = MaterialForm.kind(of: text) else { return nil }
            return MisplacedMaterial(path: path, kind: kind)
        case .array(let elements):
            for (index, element) in elements.enumerated() {
                let place = "\(path)[\(index)]"
                if let found = material(inFile: element, place, except: isRightful) { return found }
            }
        case .object(let object):
            for member in object.members {
                // A name may be the key itself, which is not to be repeated.
                if let kind = MaterialForm.kind(of: member.key) {
                    return MisplacedMaterial(path: path.isEmpty ? "a key" : path, kind: kind)
                }
                let place = path.isEmpty ? member.key : "\(path).\(member.key)"
                if let found = material(inFile: member.value, place, except: isRightful) {
                    return found
                }
            }
        case .integer, .real, .bool, .null: break
        }
        return nil
    }

    private mutating func look(at own: JSONObject, _ path: String) {
        look(at: .object(own), path, key: nil, namesCount: false)
    }

    @discardableResult
    private mutating func look(at text: String?, _ path: String) -> Bool {
        guard let kind = text.flatMap(MaterialForm.kind) else { return false }
        found.append(MisplacedMaterial(path: path, kind: kind))
        return true
    }

    /// Looks at a value; `key` is what the name tells that it goes by.
    private mutating func look(
        at value: JSONValue,
        _ path: String,
        key: MaterialName?,
        namesCount: Bool = true
    ) {
        switch value {
        case .object(let object):
            for member in object.members where !look(at: member.key, path) {
                look(
                    at: member.value, "\(path).\(member.key)",
                    key: namesCount ? name(member.key) : nil, namesCount: namesCount)
            }
        case .array(let elements):
            for (index, element) in elements.enumerated() {
                look(at: element, "\(path)[\(index)]", key: key, namesCount: namesCount)
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

    /// What a text is under a key that is named after what it holds.
    private func kind(of text: String, _ key: MaterialName) -> MisplacedMaterial.Kind? {
        if key.isSecret, credentials[text] == nil, !MaterialName.isNoSecret(text) {
            return .secret
        }
        if key.isPublicKey, !text.isEmpty, !anchors.contains(text) { return .trust }
        return key.isPin && MaterialForm.isHash(text) ? .trust : nil
    }

    private mutating func name(_ key: String) -> MaterialName {
        if let known = names[key] { return known }
        let name = MaterialName(key)
        names[key] = name
        return name
    }
}
