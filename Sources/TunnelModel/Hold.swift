package import JSON

/// A person's stop, which On Demand does not overrule until somebody starts the tunnel again.
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
        "stopped by hand" + (since.map { " (\($0.text))" } ?? "")
            + ": On Demand leaves it alone until it is started"
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
