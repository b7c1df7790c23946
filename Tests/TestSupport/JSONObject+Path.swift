package import JSON

extension JSONObject {
    /// The value at a path of keys with dots between them.
    package func value(_ path: String) -> JSONValue? {
        var value = JSONValue.object(self)
        for key in path.split(separator: ".") {
            guard let next = value.object?[String(key)] else { return nil }
            value = next
        }
        return value
    }

    /// The keys in their order.
    package var keys: [String] { members.map(\.key) }
}

extension JSONValue {
    /// The integer, where the value is one.
    package var integer: Int64? {
        if case .integer(let number) = self { number } else { nil }
    }

    /// The number, whichever way it is written.
    package var number: Double? {
        switch self {
        case .integer(let number): Double(number)
        case .real(let number): number
        case .null, .bool, .string, .array, .object: nil
        }
    }
}
