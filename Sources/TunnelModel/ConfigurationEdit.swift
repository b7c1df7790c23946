package import JSON

/// One change of a configuration by the path of a key: `routing.ipv6`, `trust[0]`.
package struct ConfigurationEdit: Equatable, Sendable {
    private enum Step: Equatable, Sendable {
        case key(String)
        case index(Int)
    }

    /// The path as it was given.
    package let path: String
    private let steps: [Step]
    /// The new value; `nil` restores the default, or takes an element away.
    private let value: JSONValue?
    /// Whether the value was to be JSON and is not, so that it stands for a text.
    private let isUnparsed: Bool

    /// Sets a key to a value.
    package init(setting path: String, to value: JSONValue) throws(JSONError) {
        try self.init(setting: path, to: value, isUnparsed: false)
    }

    private init(setting path: String, to value: JSONValue, isUnparsed: Bool) throws(JSONError) {
        self.path = path
        self.value = value
        self.isUnparsed = isUnparsed
        steps = try Self.steps(path)
        if path == "identifier" || path == "generation" {
            throw .value(path: path, problem: "cannot be set")
        }
    }

    /// Sets a key to what a text stands for.
    ///
    /// A key that holds text takes it as it is, unless it is a quoted JSON string; for any
    /// other key the text is JSON.
    package init(setting path: String, text: String) throws(JSONError) {
        let parsed = Self.parse(text)
        if Self.holdsText(path) {
            let quoted = parsed?.string
            try self.init(setting: path, to: .string(quoted ?? text))
        } else if let parsed {
            try self.init(setting: path, to: parsed)
        } else {
            try self.init(setting: path, to: .string(text), isUnparsed: true)
        }
    }

    /// Restores the default of a key, or takes an element away.
    package init(unsetting path: String) throws(JSONError) {
        self.path = path
        value = nil
        isUnparsed = false
        steps = try Self.steps(path)
        if ["identifier", "generation", "name"].contains(path) {
            throw .value(path: path, problem: "cannot be unset")
        }
    }

    /// The configuration with the change made, and read anew.
    ///
    /// No error holds the value, which may be a secret: what is wrong with the key comes first,
    /// then what has a door of its own, and that it is no JSON last.
    func applied(to configuration: Configuration) throws(ConfigurationEditError) -> Configuration {
        let edited: Configuration
        do throws(JSONError) { edited = try read(configuration.object) } catch {
            throw refusal(error, configuration.provider)
        }
        guard isUnparsed else { return edited }
        if let material = edited.misplacedMaterial.first { throw .misplaced(material) }
        let problem = edited.providerConfigurationError
        if let problem, case .unknownKey = problem { throw .invalid(problem) }
        throw .invalid(notJSON(configuration.provider))
    }

    private func refusal(_ error: JSONError, _ provider: String) -> ConfigurationEditError {
        if case .unknownKey = error { return .invalid(error) }
        // The message may repeat what stands there.
        if let kind = value?.string.flatMap(MaterialForm.kind) {
            return .misplaced(MisplacedMaterial(path: path, kind: kind))
        }
        return .invalid(isUnparsed ? notJSON(provider) : error)
    }

    private func read(_ object: JSONObject) throws(JSONError) -> Configuration {
        do throws(JSONError) {
            let edited = try replacing(in: .object(object), steps[...], at: "") ?? .null
            return try JSONDocument(parsing: JSONWriter.line(edited)).withRoot {
                node throws(JSONError) in try Configuration(node)
            }
        } catch .unknownKey(let place, let key, _) where Self.join(place, key) == path {
            throw .unknownKey(path: "", key: path, known: Self.paths(in: object, below: ""))
        }
    }
}

/// Why a change cannot be made; it never holds the new value.
package enum ConfigurationEditError: Error, Equatable, Sendable {
    case invalid(JSONError)
    /// It would put into the configuration what has a door of its own.
    case misplaced(MisplacedMaterial)

    /// Where and what, on one line.
    package var text: String {
        switch self {
        case .invalid(let error): error.text
        case .misplaced(let material): material.text
        }
    }
}

extension Configuration {
    /// The configuration with changes made one after the other.
    package func applying(_ edits: [ConfigurationEdit]) throws(ConfigurationEditError)
        -> Configuration
    {
        var result = self
        for edit in edits { result = try edit.applied(to: result) }
        return result
    }

    /// The configuration as the JSON object that it is written as.
    package var object: JSONObject { JSONObject(writing: self) }
}

extension ConfigurationEdit {
    private static func holdsText(_ path: String) -> Bool {
        let paths = [
            "name", "title", "provider", "serverAddress", "username", "interface.name",
            "interface.networkNamespace", "routing.ipv6", "routing.lockdown",
        ]
        return paths.contains(path) || path.hasPrefix("credentials.")
    }

    private static func parse(_ text: String) -> JSONValue? {
        try? JSONDocument(parsing: text.utf8, allowsScalars: true).withRoot(\.value)
    }

    private func notJSON(_ provider: String) -> JSONError {
        let form: String
        switch Self.kind(of: path, provider) {
        case .bool?: return .value(path: path, problem: "not true or false")
        case .integer?: return .value(path: path, problem: "not a number")
        case .object?: return .value(path: path, problem: "not a JSON object")
        case .array?: form = "[\"TEXT\"]"
        default: form = "\"TEXT\""
        }
        return .value(
            path: path, problem: "the value is not JSON; write --set '\(path)=\(form)'")
    }

    /// What stands for a key where nobody has set it; an example of its kind where that is null.
    private static func kind(of path: String, _ provider: String) -> JSONValue? {
        let own = "providerConfiguration."
        if path.hasPrefix(own), let kinds = kinds(ofProvider: provider) {
            return kinds[withoutIndices(path.dropFirst(own.count))]
        }
        let kinds: [String: JSONValue] = [
            "interface.mtu": .integer(0), "idleTimeout": .integer(0),
            "routing.includedRoutes": .array([]),
        ]
        if let kind = kinds[path] { return kind }
        var value = JSONValue.object(Configuration(identifier: "", name: "x").object)
        for key in path.split(separator: ".") {
            guard let child = value.object?[String(key)] else { return nil }
            value = child
        }
        return value
    }

    /// The same of the keys of a provider's own, for the providers whose keys are known.
    private static func kinds(ofProvider provider: String) -> [String: JSONValue]? {
        switch provider {
        case LoopbackConfiguration.provider: LoopbackConfiguration.kinds
        case WireGuardConfiguration.provider: WireGuardConfiguration.kinds
        default: nil
        }
    }

    /// The path with `[]` for each index: all elements of a list are of one kind.
    private static func withoutIndices(_ path: Substring) -> String {
        var shown = ""
        var isInside = false
        for character in path {
            if character == "]" { isInside = false }
            if !isInside { shown.append(character) }
            if character == "[" { isInside = true }
        }
        return shown
    }

    private static func steps(_ path: String) throws(JSONError) -> [Step] {
        let credential = "credentials."
        if path.hasPrefix(credential), path != credential {
            // The names of credentials are the provider's own, and may hold dots.
            return [.key("credentials"), .key(String(path.dropFirst(credential.count)))]
        }
        var steps: [Step] = []
        for part in path.split(separator: ".", omittingEmptySubsequences: false) {
            let key = part.prefix { $0 != "[" }
            var rest = part.dropFirst(key.count)
            var isWellFormed = !key.isEmpty && !key.contains("]")
            steps.append(.key(String(key)))
            while isWellFormed, !rest.isEmpty {
                let digits = rest.dropFirst().prefix { $0 != "]" }
                rest = rest.dropFirst(digits.count + 1)
                let isNumber = digits.utf8.allSatisfy { (0x30...0x39).contains($0) }
                guard isNumber, let index = Int(digits), rest.popFirst() == "]",
                    rest.isEmpty || rest.first == "["
                else {
                    isWellFormed = false
                    break
                }
                steps.append(.index(index))
            }
            guard isWellFormed else {
                throw .value(path: path, problem: "not a path such as routing.ipv6 or trust[0]")
            }
        }
        return steps
    }

    private static func join(_ path: String, _ key: String) -> String {
        path.isEmpty ? key : "\(path).\(key)"
    }

    /// The paths of all keys that can be set.
    private static func paths(in object: JSONObject, below parent: String) -> [String] {
        object.members.flatMap { member -> [String] in
            let path = join(parent, member.key)
            guard path != "identifier", path != "generation" else { return [] }
            guard let inner = member.value.object else { return [path] }
            return [path] + paths(in: inner, below: path)
        }
    }

    /// The value with what lies on the way replaced; `nil` takes the value itself away.
    private func replacing(in current: JSONValue, _ rest: ArraySlice<Step>, at place: String)
        throws(JSONError) -> JSONValue?
    {
        switch rest.first {
        case nil: return value
        case .key(let key)?:
            return .object(try replacing(key, in: current, rest.dropFirst(), at: place))
        case .index(let index)?:
            return .array(try replacing(index, in: current, rest.dropFirst(), at: place))
        }
    }

    private func replacing(
        _ key: String,
        in current: JSONValue,
        _ rest: ArraySlice<Step>,
        at place: String
    ) throws(JSONError) -> JSONObject {
        var object: JSONObject
        switch current {
        case .object(let members): object = members
        case .null: object = JSONObject()
        default: throw .value(path: place, problem: "not an object")
        }
        let child = object[key]
        if value == nil, child == nil {
            // Where keys are free, one that is not there has its default already.
            guard !isOpen(place) else { return object }
            throw .unknownKey(path: place, key: key, known: object.members.map(\.key))
        }
        object[key] = try replacing(in: child ?? .null, rest, at: Self.join(place, key))
        return object
    }

    private func replacing(
        _ index: Int,
        in current: JSONValue,
        _ rest: ArraySlice<Step>,
        at place: String
    ) throws(JSONError) -> [JSONValue] {
        var elements: [JSONValue]
        switch current {
        case .array(let found): elements = found
        case .null: elements = []
        default: throw .value(path: place, problem: "not an array")
        }
        // One place behind the last is where an element is added.
        guard index < elements.count || index == elements.count && value != nil else {
            throw .value(
                path: "\(place)[\(index)]", problem: "the array has \(elements.count) elements")
        }
        let child = index < elements.count ? elements[index] : .null
        let new = try replacing(in: child, rest, at: "\(place)[\(index)]")
        elements.replaceSubrange(
            index..<min(index + 1, elements.count), with: new.map { [$0] } ?? [])
        return elements
    }

    private func isOpen(_ place: String) -> Bool {
        let root = place.prefix { $0 != "." && $0 != "[" }
        return root == "credentials" || root == "providerConfiguration"
    }
}
