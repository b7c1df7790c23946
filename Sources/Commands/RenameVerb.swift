internal import JSON
internal import Preferences
internal import SessionHost
internal import TunnelModel

extension Verb {
    static let rename = Verb(
        syntax: VerbSyntax(
            "rename",
            summary: "give a configuration another name",
            operands: Operands("NAME NEW", minimum: 2, maximum: 2),
            description: [
                "The identifier stays, and so does all that goes by it: a tunnel that runs goes on"
                    + " without notice. Credentials and profiles keep their names too.",
                "A tunnel that runs as a unit of systemd is refused: its unit goes by the name, and"
                    + " would not find it any more.",
                "A unit that is enabled by the former name is told of, and not changed.",
            ],
            examples: [Example("utunctl rename office head-office", "call it head-office")]),
        run: { context throws(Failure) in try RenameCommand(context: context).run() })
}

/// What `rename` answers.
private struct Renamed: JSONEncodable {
    let configuration: Configuration
    let formerName: String

    var isChanged: Bool { configuration.name != formerName }

    func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("formatVersion", 1)
            writer.member("name", configuration.name)
            writer.member("formerName", formerName)
            writer.member("identifier", configuration.identifier)
            writer.member("generation", configuration.generation)
            writer.member("changed", isChanged)
        }
    }
}

private struct RenameCommand {
    let context: Context

    func run() throws(Failure) -> ExitStatus {
        let name = context.operand
        let new = context.invocation.operands[1]
        let problem =
            Identifier.isValid(new)
            ? "an identifier is no name" : Naming.problem(ofConfiguration: new)
        if let problem {
            throw Failure(PreferencesError.invalidDocument(.value(path: "name", problem: problem)))
        }
        // What is unknown is told without waiting for anybody's lock.
        try context.refuseRename(of: try context.configuration(name), to: new)
        var renamed: Renamed?
        do throws(PreferencesError) {
            renamed = try context.store.update { document throws(PreferencesError) in
                try rename(name, new, in: &document)
            }
        } catch {
            throw Failure(error)
        }
        guard let renamed else { throw Context.noSuchConfiguration(name, names: []) }
        let former = renamed.formerName
        if !renamed.isChanged {
            context.output.note("\(former): it has this name already")
        } else {
            noteUnits(former: former, new: new)
        }
        try context.output.answer(
            renamed, text: renamed.isChanged ? "\(former) is now \(new)" : "\(new): unchanged")
        return .done
    }

    private func rename(_ name: String, _ new: String, in document: inout PreferencesDocument)
        throws(PreferencesError) -> Renamed?
    {
        guard var configuration = document.configuration(name) else { return nil }
        let former = configuration.name
        configuration.name = new
        let saved = try document.save([configuration]).first?.configuration
        return Renamed(configuration: saved ?? configuration, formerName: former)
    }

    /// Tells which units still go by the former name.
    private func noteUnits(former: String, new: String) {
        let units = EnabledUnits(context.layout)
        if units.holds(former) {
            context.output.note(
                "\(units.abandoned(former)), systemctl enable \(ServiceManager.unit(of: new))")
        }
        if let path = units.settings(of: former) {
            context.output.note(
                "the settings in \(path) are for the former name; move them to"
                    + " \(ServiceManager.unit(of: new)).d")
        }
    }
}
