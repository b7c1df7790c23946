package import JSON
package import TunnelModel

extension ProfileFile {
    /// What has no place in a profile, which no other error is to hide: keys and certificates
    /// outside the values of anchors.
    package static func misplacedMaterial(in bytes: [UInt8]) -> MisplacedMaterial? {
        guard let root = value(of: bytes) else { return nil }
        return MaterialRule.material(inFile: root) { path in
            // The value of an anchor is such a thing.
            path.hasPrefix("anchors[") && (path.hasSuffix(".publicKey") || path.hasSuffix(".pem"))
        }
    }

    /// An error without the texts of the file: they may be secrets in a wrong place.
    ///
    /// Names of keys are shown where they have the form of names.
    package static func shown(_ error: JSONError, in bytes: [UInt8]) -> JSONError {
        switch error {
        case .syntax(let line, let column, let problem):
            return .syntax(line: line, column: column, problem: withoutPlace(problem))
        case .unknownKey(let path, let key, let known):
            guard !ShownText.isName(key) else { return error }
            return .value(path: shown(path), problem: "unknown key among \(known.count) known")
        case .value(let path, let problem):
            guard let root = value(of: bytes) else { return error }
            var texts: [String] = []
            collect(texts: &texts, below: root, path: "", wanted: path)
            let isNamed = path.hasSuffix(".name") || path == "identifier"
            let hidden = texts.filter { !isNamed || !ShownText.isName($0) }
            return .value(
                path: shown(path),
                problem: hidden.reduce(problem) { ShownText.text($0, without: $1) })
        case .newerFormat: return error
        }
    }

    private static func value(of bytes: [UInt8]) -> JSONValue? {
        try? JSONDocument(parsing: bytes).withRoot { $0.value }
    }

    /// What jansson says up to the text that it stopped at.
    private static func withoutPlace(_ problem: String) -> String {
        let words = problem.split(separator: " ")
        guard let near = words.firstIndex(of: "near") else { return problem }
        return words[..<near].joined(separator: " ")
    }

    private static func shown(_ path: String) -> String {
        path.split(separator: ".", omittingEmptySubsequences: false).map { part in
            let name = part.prefix { $0 != "[" }
            return name.isEmpty || ShownText.isName(String(name)) ? String(part) : "…"
        }.joined(separator: ".")
    }

    /// The texts of the value at a path, or of what is around a key that is missing.
    private static func collect(
        texts: inout [String],
        below value: JSONValue,
        path: String,
        wanted: String
    ) {
        let isWithin = path.hasPrefix(wanted)
        guard isWithin || path.isEmpty || wanted.hasPrefix(path) else { return }
        switch value {
        case .string(let text): if isWithin { texts.append(text) }
        case .array(let elements):
            for (index, element) in elements.enumerated() {
                collect(texts: &texts, below: element, path: "\(path)[\(index)]", wanted: wanted)
            }
        case .object(let object):
            for member in object.members {
                let place = path.isEmpty ? member.key : "\(path).\(member.key)"
                if isWithin, !ShownText.isName(member.key) { texts.append(member.key) }
                collect(texts: &texts, below: member.value, path: place, wanted: wanted)
            }
        case .integer, .real, .bool, .null: break
        }
    }
}
