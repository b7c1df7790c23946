package import JSON
internal import TunnelModel

/// How a property list is handed on: `{"line": 3, "string": "x"}`, the kind of the value being the
/// key; data are base64, dates RFC 3339, dictionaries lists of `{"key", "value"}` in their order.
extension PropertyListNode: JSONEncodable {
    package func write(to writer: inout JSONWriter) {
        writer.object { writer in
            if let line { writer.member("line", line) }
            switch value {
            case .string(let text): writer.member("string", text)
            case .integer(let number): writer.member("integer", number)
            case .real(let number): writer.member("real", JSONValue.real(number))
            case .bool(let isTrue): writer.member("bool", isTrue)
            case .date(let date): writer.member("date", date)
            case .data(let bytes): writer.member("data", Base64.encode(bytes))
            case .array(let elements): writer.member("array", elements)
            case .dictionary(let members): writer.member("dictionary", members)
            }
        }
    }

    /// Reads what `write` writes.
    package init(_ node: JSONNode) throws(JSONError) {
        var reader = try JSONObjectReader(node)
        line = try reader.optionalInteger("line", in: 1...Int.max)
        if let text = try reader.optionalString("string") {
            value = .string(text)
        } else if let number = try reader.optionalInteger("integer", in: Int64.min...Int64.max) {
            value = .integer(number)
        } else if case .real(let number)? = reader.value("real") {
            value = .real(number)
        } else if reader.contains("bool") {
            value = .bool(try reader.bool("bool"))
        } else if let date = try reader.optionalTimestamp("date") {
            value = .date(date)
        } else if let text = try reader.optionalString("data") {
            guard let bytes = Base64.decode(text.utf8) else {
                throw reader.mismatch("data", "not base64")
            }
            value = .data(bytes)
        } else if let elements = try reader.elements("array") {
            var nodes: [PropertyListNode] = []
            for element in elements { nodes.append(try PropertyListNode(element)) }
            value = .array(nodes)
        } else {
            guard let elements = try reader.elements("dictionary") else {
                throw reader.mismatch("dictionary", "missing")
            }
            var members: [Member] = []
            for element in elements { members.append(try Member(element)) }
            value = .dictionary(members)
        }
        try reader.finish()
    }
}

extension PropertyListNode.Member: JSONEncodable {
    package func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("key", key)
            writer.member("value", node)
        }
    }

    init(_ node: JSONNode) throws(JSONError) {
        var reader = try JSONObjectReader(node)
        key = try reader.string("key")
        guard let value = reader.node("value") else { throw reader.mismatch("value", "missing") }
        self.node = try PropertyListNode(value)
        try reader.finish()
    }
}

/// What became of a file: its value, or why it has none.
package enum PropertyListReading: Equatable, Sendable {
    case value(PropertyListNode)
    case refused(PropertyListError)

    /// Reads a file.
    package init(_ bytes: [UInt8]) {
        do throws(PropertyListError) { self = .value(try PropertyList.parse(bytes)) } catch {
            self = .refused(error)
        }
    }

    /// Reads a whole document that `write` made.
    package init(document: some Collection<UInt8>) throws(JSONError) {
        self = try JSONDocument(parsing: document).withRoot { node throws(JSONError) in
            var reader = try JSONObjectReader(node)
            if let value = reader.node("value") { return .value(try PropertyListNode(value)) }
            let problem = try reader.string("problem")
            let line = try reader.optionalInteger("line", in: 1...Int.max)
            let column = try reader.optionalInteger("column", in: 1...Int.max)
            return .refused(PropertyListError(problem, line: line, column: column))
        }
    }

    /// The value, or the error of the file.
    package func get() throws(PropertyListError) -> PropertyListNode {
        switch self {
        case .value(let node): return node
        case .refused(let error): throw error
        }
    }
}

extension PropertyListReading: JSONEncodable {
    package func write(to writer: inout JSONWriter) {
        writer.object { writer in
            switch self {
            case .value(let node): writer.member("value", node)
            case .refused(let error):
                writer.member("problem", error.problem)
                writer.member("line", error.line)
                writer.member("column", error.column)
            }
        }
    }
}
