package import JSON

/// One key in which two states of a configuration differ.
package struct ConfigurationChange: Equatable, Sendable {
    package let path: String
    /// `nil` where the key was not there.
    package let old: JSONValue?
    /// `nil` where the key is gone.
    package let new: JSONValue?
}

extension Configuration {
    /// What differs in another state of the configuration, key by key; identifier and
    /// generation, which nobody sets, are left out.
    package func changes(to other: Configuration) -> [ConfigurationChange] {
        var changes: [ConfigurationChange] = []
        Self.compare(.object(object), .object(other.object), "", &changes)
        return changes.filter { $0.path != "identifier" && $0.path != "generation" }
    }

    private static func compare(
        _ old: JSONValue?,
        _ new: JSONValue?,
        _ path: String,
        _ changes: inout [ConfigurationChange]
    ) {
        guard old != new else { return }
        switch (old, new) {
        case (.object(let old)?, .object(let new)?):
            let added = new.members.map(\.key).filter { old[$0] == nil }
            for key in old.members.map(\.key) + added {
                compare(old[key], new[key], path.isEmpty ? key : "\(path).\(key)", &changes)
            }
        case (.array(let old)?, .array(let new)?):
            for index in 0..<max(old.count, new.count) {
                compare(
                    index < old.count ? old[index] : nil, index < new.count ? new[index] : nil,
                    "\(path)[\(index)]", &changes)
            }
        default: changes.append(ConfigurationChange(path: path, old: old, new: new))
        }
    }
}

extension ConfigurationChange: JSONEncodable {
    package func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("path", path)
            writer.member("old", old)
            writer.member("new", new)
        }
    }
}
