internal import JSON
internal import TunnelModel

/// The paths of the keys of a configuration, as `save --set` takes them.
enum KeyPaths {
    /// Every path that has a value, in the order of the document.
    static var all: [String] {
        let configuration = Configuration(
            identifier: "00000000-0000-0000-0000-000000000000", name: "name")
        let line = JSONWriter.line(configuration)
        let value = try? JSONDocument(parsing: line).withRoot { node throws(JSONError) in
            node.value
        }
        // What a person does not set.
        return paths(value, below: "").filter { !["identifier", "generation"].contains($0) }
    }

    private static func paths(_ value: JSONValue?, below prefix: String) -> [String] {
        guard let members = value?.object?.members, !members.isEmpty else {
            return prefix.isEmpty ? [] : [prefix]
        }
        return members.flatMap { member in
            paths(member.value, below: prefix.isEmpty ? member.key : "\(prefix).\(member.key)")
        }
    }
}
