package import JSON

/// How and when a session ended.
package struct Disconnect: Equatable, Sendable {
    package let attempt: String
    /// `nil` where nobody knows it, as of a session host that crashed.
    package let time: Timestamp?
    package let reason: DisconnectReason

    package init(attempt: String, time: Timestamp?, reason: DisconnectReason) {
        self.attempt = attempt
        self.time = time
        self.reason = reason
    }

    package init(_ node: JSONNode) throws(JSONError) {
        var reader = try JSONObjectReader(node)
        attempt = try reader.string("attempt")
        time = try reader.optionalTimestamp("time")
        let code: DisconnectCode = try reader.choice("code", default: nil)
        reason = DisconnectReason(code, try reader.string("text", default: ""))
    }
}

extension Disconnect: JSONEncodable {
    package func write(to writer: inout JSONWriter) {
        writer.object { writeMembers(to: &$0) }
    }

    /// Writes the members alone, for objects that have more of them.
    func writeMembers(to writer: inout JSONWriter) {
        writer.member("attempt", attempt)
        writer.member("time", time)
        writer.member("code", reason.code.rawValue)
        writer.member("text", reason.text)
    }
}
