package import JSON

/// A person's word that a tunnel is to stay as it is, which On Demand does not overrule until
/// somebody starts the tunnel again or lets its rules decide.
package struct Hold: Equatable, Sendable {
    /// `nil` where it is there and cannot be read.
    package let since: Timestamp?
    /// Who stopped the tunnel; `nil` where that cannot be read.
    package let origin: SessionOrigin?

    package init(since: Timestamp?, origin: SessionOrigin?) {
        self.since = since
        self.origin = origin
    }

    package init(_ node: JSONNode) throws(JSONError) {
        var reader = try JSONObjectReader(node)
        since = try reader.optionalTimestamp("since")
        let origin: SessionOrigin = try reader.choice("origin", default: nil)
        self.origin = origin
    }

    /// What it means, for people.
    package var text: String {
        "by hand" + (since.map { " (\($0.text))" } ?? "")
            + ": On Demand leaves it alone until it is started, or resumed"
    }
}

extension Hold: JSONEncodable {
    package func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("since", since)
            writer.member("origin", origin?.rawValue)
        }
    }
}
