package import JSON

/// One of the readings from which a status follows, as `status --explain` shows it.
package struct StatusReading: Equatable, Sendable {
    /// What was read.
    package let name: String
    /// What it said.
    package let finding: String
    /// Where it was taken; `nil` where nothing was asked.
    package let source: String?
    /// How old it is at most, counted from before it was taken; `nil` where nothing was asked.
    package let ageMicroseconds: UInt64?

    package init(_ name: String, _ finding: String, source: String?, ageMicroseconds: UInt64?) {
        self.name = name
        self.finding = finding
        self.source = source
        self.ageMicroseconds = ageMicroseconds
    }

    /// The reading on a line.
    package var text: String {
        let origin = [source, ageMicroseconds.map { "\($0) µs ago" }].compactMap(\.self)
        return "\(name): \(finding)"
            + (origin.isEmpty ? "" : " (\(origin.joined(separator: ", ")))")
    }
}

extension StatusReading: JSONEncodable {
    package func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("reading", name)
            writer.member("finding", finding)
            writer.member("source", source)
            writer.member("ageMicroseconds", ageMicroseconds)
        }
    }
}
