internal import JSON
internal import Preferences
internal import TunnelModel

/// What `save` answers.
struct SaveAnswer {
    let result: SaveResult
    let isDryRun: Bool
    let warnings: [SaveWarning]
    /// Whether what changed is told also where it was done, and not just rehearsed.
    var tellsChanges = false

    /// The answer for people.
    var text: String {
        result.saved.flatMap(isDryRun ? rehearsal : report).joined(separator: "\n")
    }

    private func report(_ saved: SavedConfiguration) -> [String] {
        let configuration = saved.configuration
        return [
            "\(saved.isNew ? "created" : saved.changed ? "saved" : "unchanged") \(configuration.name) "
                + "\(configuration.identifier) generation \(configuration.generation)"
        ] + (tellsChanges ? lines(of: changes(of: saved)) : [])
    }

    private func rehearsal(_ saved: SavedConfiguration) -> [String] {
        let name = saved.configuration.name
        if saved.isNew { return ["would create \(name)"] }
        if !saved.changed { return ["would leave \(name) as it is"] }
        let changes = changes(of: saved)
        guard !changes.isEmpty else { return ["would change what \(name) refers to"] }
        return ["would change \(name):"] + lines(of: changes)
    }

    private func lines(of changes: [ConfigurationChange]) -> [String] {
        changes.map { "  \($0.path): \(shown($0.old)) → \(shown($0.new))" }
    }

    private func shown(_ value: JSONValue?) -> String {
        guard let value else { return "(none)" }
        return String(decoding: JSONWriter.line(value).dropLast(), as: UTF8.self)
    }

    private func changes(of saved: SavedConfiguration) -> [ConfigurationChange] {
        result.former[saved.configuration.identifier]?.changes(to: saved.configuration) ?? []
    }

    /// The identifier, unless it was only made up for the rehearsal.
    private func identifier(of saved: SavedConfiguration) -> String? {
        isDryRun && saved.isNew && !saved.hadIdentifier ? nil : saved.configuration.identifier
    }
}

extension SaveAnswer: JSONEncodable {
    func write(to writer: inout JSONWriter) {
        writer.object { writeMembers(to: &$0) }
    }

    /// Writes the members alone, for answers that hold more.
    func writeMembers(to writer: inout JSONWriter) {
        writer.member("formatVersion", 1)
        if isDryRun { writer.member("dryRun", true) }
        writer.arrayMember("saved") { writer in
            for saved in result.saved {
                writer.element(Saved(saved: saved, identifier: identifier(of: saved)))
            }
        }
        if isDryRun || tellsChanges {
            writer.arrayMember("changes") { writer in
                for saved in result.saved {
                    writer.element(
                        Rehearsed(
                            saved: saved, identifier: identifier(of: saved),
                            changes: changes(of: saved)))
                }
            }
        }
        writer.member("warnings", warnings)
    }
}

private struct Saved: JSONEncodable {
    let saved: SavedConfiguration
    let identifier: String?

    func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("name", saved.configuration.name)
            writer.member("identifier", identifier)
            writer.member("generation", saved.configuration.generation)
            writer.member("changed", saved.changed)
        }
    }
}

private struct Rehearsed: JSONEncodable {
    let saved: SavedConfiguration
    let identifier: String?
    let changes: [ConfigurationChange]

    func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("name", saved.configuration.name)
            writer.member("identifier", identifier)
            writer.member(
                "change", saved.isNew ? "created" : saved.changed ? "changed" : "unchanged")
            writer.member("paths", changes)
        }
    }
}
