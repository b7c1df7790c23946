/// Why a text is not the JSON document that was expected.
package enum JSONError: Error, Equatable, Sendable {
    /// The text is not JSON: line and column count from one.
    case syntax(line: Int, column: Int, problem: String)
    /// A value is not what its place asks for.
    case value(path: String, problem: String)
    /// An object has a key that nobody knows; `known` holds those that would do.
    case unknownKey(path: String, key: String, known: [String])
    /// The document says that a later version of the program wrote it.
    case newerFormat(Int64)

    /// Where and what, on one line.
    package var text: String {
        switch self {
        case .syntax(let line, let column, let problem):
            "line \(line), column \(column): \(problem)"
        case .value(let path, let problem):
            path.isEmpty ? problem : "\(path): \(problem)"
        case .unknownKey(let path, let key, _):
            path.isEmpty ? "unknown key \(key)" : "\(path): unknown key \(key)"
        case .newerFormat(let version):
            "formatVersion \(version) was written by a newer utunctl"
        }
    }

    /// The same error in a document in which the value stands at `place`.
    package func moved(below place: String) -> JSONError {
        func moved(_ path: String) -> String {
            if path.isEmpty || place.isEmpty { return place + path }
            return path.hasPrefix("[") ? place + path : "\(place).\(path)"
        }
        switch self {
        case .syntax, .newerFormat: return self
        case .value(let path, let problem): return .value(path: moved(path), problem: problem)
        case .unknownKey(let path, let key, let known):
            return .unknownKey(path: moved(path), key: key, known: known)
        }
    }
}
