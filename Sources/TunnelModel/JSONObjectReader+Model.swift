package import JSON

extension JSONObjectReader {
    /// An array of address prefixes that may be absent or `null`; host bits are kept.
    package mutating func prefixes(_ key: String) throws(JSONError) -> [IPPrefix]? {
        guard let texts = try optionalStrings(key) else { return nil }
        var prefixes: [IPPrefix] = []
        prefixes.reserveCapacity(texts.count)
        for (index, text) in texts.enumerated() {
            guard let prefix = IPPrefix(text) else {
                throw mismatch("\(key)[\(index)]", "\(text) is not an address prefix")
            }
            prefixes.append(prefix)
        }
        return prefixes
    }

    /// One of the values of an enumeration that may be absent or `null`.
    package mutating func optionalChoice<Choice>(_ key: String) throws(JSONError) -> Choice?
    where Choice: RawRepresentable<String> & CaseIterable {
        guard let text = try optionalString(key) else { return nil }
        guard let choice = Choice(rawValue: text) else {
            let choices = Choice.allCases.map(\.rawValue).joined(separator: ", ")
            throw mismatch(key, "\(text) is not one of: \(choices)")
        }
        return choice
    }

    /// One of the values of an enumeration, absent reads as `defaultValue`.
    package mutating func choice<Choice>(_ key: String, default defaultValue: Choice?)
        throws(JSONError) -> Choice
    where Choice: RawRepresentable<String> & CaseIterable {
        if let choice: Choice = try optionalChoice(key) { return choice }
        guard let defaultValue else { throw mismatch(key, "missing") }
        return defaultValue
    }

    /// An RFC 3339 moment that may be absent or `null`.
    package mutating func optionalTimestamp(_ key: String) throws(JSONError) -> Timestamp? {
        guard let text = try optionalString(key) else { return nil }
        guard let timestamp = Timestamp(text) else {
            throw mismatch(key, "not an RFC 3339 time in UTC")
        }
        return timestamp
    }

    /// An RFC 3339 moment.
    package mutating func timestamp(_ key: String) throws(JSONError) -> Timestamp {
        guard let timestamp = try optionalTimestamp(key) else { throw mismatch(key, "missing") }
        return timestamp
    }
}

extension IPPrefix: JSONEncodable {
    package func write(to writer: inout JSONWriter) {
        description.write(to: &writer)
    }
}

extension IPAddress: JSONEncodable {
    package func write(to writer: inout JSONWriter) {
        description.write(to: &writer)
    }
}
