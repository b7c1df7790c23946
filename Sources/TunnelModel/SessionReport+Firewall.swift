package import JSON

extension SessionReport.Firewall: JSONEncodable {
    package func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("table", table)
            writer.member("mode", mode.rawValue)
            writer.member("present", isPresent)
            writer.member("pausedUntil", pausedUntil)
        }
    }

    init(_ node: JSONNode) throws(JSONError) {
        var reader = try JSONObjectReader(node)
        table = try reader.string("table")
        mode = try reader.choice("mode", default: nil)
        isPresent = try reader.bool("present")
        pausedUntil = try reader.optionalTimestamp("pausedUntil")
    }
}
