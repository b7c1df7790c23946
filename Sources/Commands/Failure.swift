package import JSON

/// A failure as the user meets it: a stable code, an exit status, what happened, and what
/// to do next where there is something to do.
package struct Failure: Error, Equatable, Sendable {
    package let code: String
    package let exitStatus: ExitStatus
    package let text: String
    package let hint: String?

    package init(_ exitStatus: ExitStatus, _ code: String, _ text: String, hint: String? = nil) {
        self.exitStatus = exitStatus
        self.code = code
        self.text = text
        self.hint = hint
    }

    /// Reads the object that `write` makes, as a session host hands it to `start`.
    init?(line: some Collection<UInt8>) {
        let parsed = try? JSONDocument(parsing: line).withRoot { node throws(JSONError) in
            var reader = try JSONObjectReader(node)
            guard let error = reader.node("error") else {
                throw reader.mismatch("error", "missing")
            }
            var inner = try JSONObjectReader(error)
            return Failure(
                ExitStatus(rawValue: try inner.integer("exitStatus", in: 0...255)) ?? .failure,
                try inner.string("code"), try inner.string("text"),
                hint: try inner.optionalString("hint"))
        }
        guard let parsed else { return nil }
        self = parsed
    }
}

extension Failure: JSONEncodable {
    package func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("formatVersion", 1)
            writeMember(to: &writer)
        }
    }

    /// Writes the `error` member alone, for answers that hold more.
    func writeMember(to writer: inout JSONWriter) {
        writer.objectMember("error") { writer in
            writer.member("code", code)
            writer.member("exitStatus", exitStatus.rawValue)
            writer.member("text", text)
            writer.member("hint", hint)
        }
    }
}
