/// Any JSON value, for the parts of a document that have no type of their own.
package enum JSONValue: Equatable, Sendable {
    case null
    case bool(Bool)
    case integer(Int64)
    case real(Double)
    case string(String)
    case array([JSONValue])
    case object(JSONObject)

    /// The string, where the value is one.
    package var string: String? {
        if case .string(let text) = self { text } else { nil }
    }

    /// The object, where the value is one.
    package var object: JSONObject? {
        if case .object(let object) = self { object } else { nil }
    }

    /// The array, where the value is one.
    package var array: [JSONValue]? {
        if case .array(let elements) = self { elements } else { nil }
    }
}

/// A JSON object whose members keep the order in which they were written.
package struct JSONObject: Equatable, Sendable {
    /// One key with its value.
    package struct Member: Equatable, Sendable {
        package let key: String
        package var value: JSONValue
    }

    package private(set) var members: [Member]

    /// An object without members.
    package init() {
        members = []
    }

    /// The object that a value is written as.
    package init(writing value: some JSONEncodable) {
        do throws(JSONError) {
            let document = try JSONDocument(parsing: JSONWriter.line(value))
            self = document.withRoot { $0.value.object } ?? JSONObject()
        } catch {
            preconditionFailure("what was written is not JSON: \(error.text)")
        }
    }

    /// Adds a member whose key is known to be new.
    package mutating func append(key: String, value: JSONValue) {
        members.append(Member(key: key, value: value))
    }

    /// Whether there is no member.
    package var isEmpty: Bool { members.isEmpty }

    /// The value of a key; setting `nil` takes the member away.
    package subscript(key: String) -> JSONValue? {
        get { members.first { $0.key == key }?.value }
        set {
            let position = members.firstIndex { $0.key == key }
            switch (position, newValue) {
            case (let position?, let value?): members[position].value = value
            case (let position?, nil): members.remove(at: position)
            case (nil, let value?): members.append(Member(key: key, value: value))
            case (nil, nil): break
            }
        }
    }
}
