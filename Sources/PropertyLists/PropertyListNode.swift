package import TunnelModel

/// A value of a property list with its place.
package struct PropertyListNode: Equatable, Sendable {
    /// The kinds of values that a property list has.
    package indirect enum Value: Equatable, Sendable {
        case string(String)
        case integer(Int64)
        case real(Double)
        case bool(Bool)
        case date(Timestamp)
        case data([UInt8])
        case array([PropertyListNode])
        case dictionary([Member])
    }

    /// A key of a dictionary with its value.
    package struct Member: Equatable, Sendable {
        package let key: String
        package let node: PropertyListNode

        package init(key: String, node: PropertyListNode) {
            self.key = key
            self.node = node
        }
    }

    package let value: Value
    /// Where it begins; a binary property list has no lines.
    package let line: Int?

    package init(_ value: Value, line: Int? = nil) {
        self.value = value
        self.line = line
    }

    /// What kind of value it is, with its article.
    package var kind: String {
        switch value {
        case .string: "a string"
        case .integer: "an integer"
        case .real: "a number"
        case .bool: "a boolean"
        case .date: "a date"
        case .data: "data"
        case .array: "an array"
        case .dictionary: "a dictionary"
        }
    }
}

/// Why bytes are not a property list that is taken.
///
/// It never holds a text of the file, which may be a secret in the wrong place.
package struct PropertyListError: Error, Equatable, Sendable {
    package let line: Int?
    package let column: Int?
    package let problem: String

    package init(_ problem: String, line: Int? = nil, column: Int? = nil) {
        self.line = line
        self.column = column
        self.problem = problem
    }

    /// Where and what, on one line.
    package var text: String {
        guard let line else { return problem }
        return column.map { "line \(line), column \($0): \(problem)" } ?? "line \(line): \(problem)"
    }
}
