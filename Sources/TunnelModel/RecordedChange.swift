package import JSON

/// A change of the host that nothing in the kernel tells to be ours.
///
/// It is noted in the session record before it is made, so that whoever ends the session, or
/// clears what a killed one left, can take it back.
package enum RecordedChange: Equatable, Sendable {
    /// A setting below /proc/sys, by its path there: `net/ipv4/conf/all/src_valid_mark`.
    case sysctl(path: String, former: String, value: String)
}

extension RecordedChange: JSONEncodable {
    package func write(to writer: inout JSONWriter) {
        writer.object { writer in
            switch self {
            case .sysctl(let path, let former, let value):
                writer.member("kind", "sysctl")
                writer.member("path", path)
                writer.member("former", former)
                writer.member("value", value)
            }
        }
    }

    /// Reads a change; `nil` for a kind that this version does not know.
    init?(_ node: JSONNode) throws(JSONError) {
        var reader = try JSONObjectReader(node)
        switch try reader.string("kind") {
        case "sysctl":
            self = .sysctl(
                path: try reader.string("path"), former: try reader.string("former"),
                value: try reader.string("value"))
        default: return nil
        }
    }
}
