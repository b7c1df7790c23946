package import JSON

/// A change of the host that nothing in the kernel tells to be ours.
///
/// It is noted in the session record before it is made, so that whoever ends the session, or
/// clears what a killed one left, can take it back.
package enum RecordedChange: Equatable, Sendable {
    /// A setting below /proc/sys, by its path there: `net/ipv4/conf/all/src_valid_mark`.
    case sysctl(path: String, former: String, value: String)
    /// A resolv.conf(5) that carries the mark from then on; `former` is what it held, where that
    /// is text, and `nil` where there was none.
    case resolverFile(path: String, mark: String, former: String?)
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
            case .resolverFile(let path, let mark, let former):
                writer.member("kind", "resolverFile")
                writer.member("path", path)
                writer.member("mark", mark)
                writer.member("former", former)
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
        case "resolverFile":
            self = .resolverFile(
                path: try reader.string("path"), mark: try reader.string("mark"),
                former: try reader.optionalString("former"))
        default: return nil
        }
    }
}
