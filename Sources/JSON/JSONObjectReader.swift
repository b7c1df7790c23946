internal import CJansson

/// Reads the members of one object and notices those that nobody asked for.
///
/// A member that is absent reads as its default; whether `null` does as well is said by
/// the method that is called.
package struct JSONObjectReader {
    private let node: JSONNode
    private var known: [String] = []
    private var found = 0

    /// Starts to read an object; anything else is an error.
    package init(_ node: JSONNode) throws(JSONError) {
        guard node.isObject else { throw .value(path: node.path.text, problem: "not an object") }
        self.node = node
        known.reserveCapacity(24)
    }

    /// Reads `formatVersion`; a document of a later version is not corrupt, only newer.
    package mutating func formatVersion(atMost newest: Int64) throws(JSONError) {
        let found = try integer("formatVersion", in: 1...Int64.max)
        if found > newest { throw .newerFormat(found) }
    }

    /// Ends the reading: members that were not asked for are an error.
    package func finish() throws(JSONError) {
        guard found != json_object_size(node.raw) else { return }
        var unknown: String?
        node.forEachMember { key, _ in
            if unknown == nil, !known.contains(key) { unknown = key }
        }
        guard let unknown else { return }
        throw .unknownKey(path: node.path.text, key: unknown, known: known)
    }

    /// Whether the member stands there, be it `null`.
    package mutating func contains(_ key: String) -> Bool {
        member(key) != nil
    }

    /// The member as a node, absent and `null` alike as `nil`.
    package mutating func node(_ key: String) -> JSONNode? {
        guard let raw = member(key) else { return nil }
        let child = JSONNode(raw: raw, path: .key(node.path, key))
        return child.isNull ? nil : child
    }

    /// The member as a value of any kind; absent is `nil`.
    package mutating func value(_ key: String) -> JSONValue? {
        member(key).map { JSONNode(raw: $0, path: .key(node.path, key)).value }
    }

    /// A string that may be absent or `null`.
    package mutating func optionalString(_ key: String) throws(JSONError) -> String? {
        guard let child = scalar(key) else { return nil }
        guard let string = child.string else { throw mismatch(key, "not a string") }
        return string
    }

    /// A string, absent reads as `defaultValue`.
    package mutating func string(_ key: String, default defaultValue: String? = nil)
        throws(JSONError) -> String
    {
        try required(key, optionalString(key), defaultValue, "a string")
    }

    /// A boolean, absent reads as `defaultValue`.
    package mutating func bool(_ key: String, default defaultValue: Bool? = nil)
        throws(JSONError) -> Bool
    {
        guard let child = scalar(key) else {
            return try required(key, nil, defaultValue, "a boolean")
        }
        guard let bool = child.bool else { throw mismatch(key, "not true or false") }
        return bool
    }

    /// An integer within `range` that may be absent or `null`.
    package mutating func optionalInteger<Value: FixedWidthInteger>(
        _ key: String,
        in range: ClosedRange<Value>
    ) throws(JSONError) -> Value? {
        guard let child = scalar(key) else { return nil }
        guard let integer = child.integer, let value = Value(exactly: integer),
            range.contains(value)
        else {
            let bounds = "\(range.lowerBound) to \(range.upperBound)"
            throw mismatch(key, "not an integer from \(bounds)")
        }
        return value
    }

    /// An integer within `range`, absent reads as `defaultValue`.
    package mutating func integer<Value: FixedWidthInteger>(
        _ key: String,
        in range: ClosedRange<Value>,
        default defaultValue: Value? = nil
    ) throws(JSONError) -> Value {
        try required(key, optionalInteger(key, in: range), defaultValue, "an integer")
    }

    /// An array of strings that may be absent or `null`.
    package mutating func optionalStrings(_ key: String) throws(JSONError) -> [String]? {
        guard let child = node(key) else { return nil }
        return try child.stringElements()
    }

    /// An array of strings, absent reads as empty.
    package mutating func strings(_ key: String) throws(JSONError) -> [String] {
        try optionalStrings(key) ?? []
    }

    /// An object whose members are all strings, absent reads as empty.
    package mutating func stringMap(_ key: String) throws(JSONError) -> [String: String] {
        var map: [String: String] = [:]
        var wrong: String?
        guard let child = node(key) else { return [:] }
        guard child.isObject else { throw mismatch(key, "not an object") }
        child.forEachMember { name, value in
            if let string = value.string { map[name] = string } else { wrong = wrong ?? name }
        }
        if let wrong { throw .value(path: "\(child.path.text).\(wrong)", problem: "not a string") }
        return map
    }

    /// An array of integers, absent reads as empty.
    package mutating func integers(_ key: String) throws(JSONError) -> [Int] {
        var integers: [Int] = []
        for element in try elements(key) ?? [] {
            guard let integer = element.integer else {
                throw .value(path: element.path.text, problem: "not an integer")
            }
            integers.append(Int(integer))
        }
        return integers
    }

    /// The members of an object, absent reads as empty.
    package mutating func nodes(_ key: String) throws(JSONError) -> [(String, JSONNode)] {
        guard let child = node(key) else { return [] }
        guard child.isObject else { throw mismatch(key, "not an object") }
        var nodes: [(String, JSONNode)] = []
        child.forEachMember { nodes.append(($0, $1)) }
        return nodes
    }

    /// All members but some, as values.
    package func members(except known: Set<String>) -> JSONObject {
        var members = JSONObject()
        node.forEachMember { key, value in
            if !known.contains(key) { members.append(key: key, value: value.value) }
        }
        return members
    }

    /// The elements of an array that may be absent or `null`.
    package mutating func elements(_ key: String) throws(JSONError) -> [JSONNode]? {
        guard let child = node(key) else { return nil }
        guard child.isArray else { throw mismatch(key, "not an array") }
        return child.elements
    }

    /// The error of a member that has the wrong value.
    package func mismatch(_ key: String, _ problem: String) -> JSONError {
        .value(path: JSONPath.key(node.path, key).text, problem: problem)
    }

    /// The member for one look at its value: without a path, which costs an allocation.
    private mutating func scalar(_ key: String) -> JSONNode? {
        guard let raw = member(key) else { return nil }
        let child = JSONNode(raw: raw, path: .root)
        return child.isNull ? nil : child
    }

    private mutating func member(_ key: String) -> UnsafeMutablePointer<json_t>? {
        let raw = node.child(key)
        // A key that is asked for twice, which happens in a row, counts once, or it would hide
        // an unknown one.
        if known.last != key {
            assert(!known.contains(key), "\(key) is asked for twice, and not in a row")
            known.append(key)
            if raw != nil { found += 1 }
        }
        return raw
    }

    private func required<Value>(
        _ key: String,
        _ value: Value?,
        _ defaultValue: Value?,
        _ kind: String
    ) throws(JSONError) -> Value {
        if let value { return value }
        if let defaultValue, node.child(key) == nil { return defaultValue }
        throw mismatch(key, node.child(key) == nil ? "missing" : "null where \(kind) must stand")
    }
}
