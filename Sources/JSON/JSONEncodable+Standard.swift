extension String: JSONEncodable {
    package func write(to writer: inout JSONWriter) {
        writer.quoted(self)
    }
}

extension Bool: JSONEncodable {
    package func write(to writer: inout JSONWriter) {
        writer.literal(self ? "true" : "false")
    }
}

extension FixedWidthInteger where Self: JSONEncodable {
    package func write(to writer: inout JSONWriter) {
        writer.literal(String(self))
    }
}

extension Int: JSONEncodable {}
extension Int32: JSONEncodable {}
extension Int64: JSONEncodable {}
extension UInt16: JSONEncodable {}
extension UInt32: JSONEncodable {}
extension UInt64: JSONEncodable {}

extension Array: JSONEncodable where Element: JSONEncodable {
    package func write(to writer: inout JSONWriter) {
        writer.array { writer in
            for element in self { writer.element(element) }
        }
    }
}

extension [String: String]: JSONEncodable {
    /// Members in the order of their keys, so that equal maps are equal texts.
    package func write(to writer: inout JSONWriter) {
        writer.object { writer in
            for (key, value) in sorted(by: { $0.key < $1.key }) { writer.member(key, value) }
        }
    }
}

extension JSONObject: JSONEncodable {
    package func write(to writer: inout JSONWriter) {
        writer.object { writer in
            for member in members { writer.member(member.key, member.value) }
        }
    }
}

extension JSONValue: JSONEncodable {
    package func write(to writer: inout JSONWriter) {
        switch self {
        case .null: writer.null()
        case .bool(let value): value.write(to: &writer)
        case .integer(let value): value.write(to: &writer)
        // JSON has no word for infinity and "not a number".
        case .real(let value): value.isFinite ? writer.literal(value.description) : writer.null()
        case .string(let value): value.write(to: &writer)
        case .array(let value): value.write(to: &writer)
        case .object(let value): value.write(to: &writer)
        }
    }
}
