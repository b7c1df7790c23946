internal import JSON
internal import LinuxSystem
internal import Preferences
internal import SessionHost
internal import TunnelModel

extension Verb {
    static let remove = Verb(
        syntax: VerbSyntax(
            "remove",
            summary: "stop tunnels and delete their configurations",
            operands: Operands("NAME…", minimum: 1, maximum: nil),
            description: [
                "Each tunnel is stopped first, then its configuration and the record of its last "
                    + "session are deleted; On Demand starts none of them meanwhile. Where one of "
                    + "the names is unknown, nothing is done. Credentials and enrolled profiles "
                    + "are files of their own and stay.",
                "A unit that is enabled for one of them is told of, and not changed.",
            ],
            examples: [
                Example("utunctl remove test", "stop test and delete it"),
                Example("utunctl remove test office", "delete two configurations"),
            ]),
        run: { context throws(Failure) in try RemoveCommand(context: context).run() })
}

private struct RemovedTunnel: JSONEncodable {
    let name: String
    let identifier: String
    let wasRunning: Bool

    func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("name", name)
            writer.member("identifier", identifier)
            writer.member("wasRunning", wasRunning)
        }
    }
}

private struct RemoveCommand {
    let context: Context

    func run() throws(Failure) -> ExitStatus {
        let configurations = try configurations()
        // Before anything else: On Demand is not to start what is about to go.
        configurations.forEach(hold)
        var removed: [RemovedTunnel] = []
        do throws(Failure) {
            for configuration in configurations {
                removed.append(
                    RemovedTunnel(
                        name: configuration.name, identifier: configuration.identifier,
                        wasRunning: try stop(configuration)))
            }
            try delete(Set(configurations.map(\.identifier)))
        } catch {
            for configuration in configurations where configuration.onDemand.enabled {
                context.output.note(
                    "\(configuration.name): On Demand leaves it alone until it is started")
            }
            throw error
        }
        for configuration in configurations { try forget(configuration) }
        context.noteWhatStays(of: configurations, as: "remove")
        let units = EnabledUnits(context.layout)
        for configuration in configurations { note(units, of: configuration.name) }
        for tunnel in removed where tunnel.wasRunning {
            context.output.note("\(tunnel.name) was running, and was stopped")
        }
        let lines = removed.map { "removed \($0.name) \($0.identifier)" }
        try context.output.answer(
            ListAnswer(key: "removed", elements: removed), text: lines.joined(separator: "\n"))
        return .done
    }

    private func configurations() throws(Failure) -> [Configuration] {
        let document = try context.preferences()
        var found: [Configuration] = []
        for name in context.invocation.operands {
            guard let configuration = document.configuration(name) else {
                throw Context.noSuchConfiguration(name, names: document.configurations.map(\.name))
            }
            if !found.contains(where: { $0.identifier == configuration.identifier }) {
                found.append(configuration)
            }
        }
        return found
    }

    private func hold(_ configuration: Configuration) {
        guard context.directory(of: configuration.identifier).hold() == nil,
            let problem = Stopping(context).setHold(configuration.identifier, by: .user),
            configuration.onDemand.enabled
        else { return }
        context.output.note(
            "\(configuration.name): On Demand may start it meanwhile: \(problem)")
    }

    private func stop(_ configuration: Configuration) throws(Failure) -> Bool {
        let outcome = try Stopping(context).stop(
            configuration.identifier, name: configuration.name,
            reason: DisconnectReason(.configurationRemoved, "its configuration is removed"))
        context.noteKeptBlock(outcome, of: configuration.name, isSaved: false)
        return outcome.wasRunning
    }

    /// Tells of a unit that has nothing to start any more.
    private func note(_ units: EnabledUnits, of name: String) {
        if units.holds(name) { context.output.note(units.abandoned(name)) }
        if let path = units.settings(of: name) {
            context.output.note("\(path) stays, with what was set for its unit")
        }
    }

    private func delete(_ identifiers: Set<String>) throws(Failure) {
        do throws(PreferencesError) {
            try context.store.update { document throws(PreferencesError) in
                document.remove(identifiers)
            }
        } catch {
            throw Failure(error)
        }
    }

    /// Deletes what the last session left to be read.
    private func forget(_ configuration: Configuration) throws(Failure) {
        let identifier = configuration.identifier
        let directory = context.directory(of: identifier)
        do throws(SystemError) {
            try directory.liftHold()
            guard SessionDirectory.identifiers(in: context.layout).contains(identifier)
            else { return }
            // Somebody may have started it between its stop and its deletion.
            if try directory.lockIsHeld() { _ = try? stop(configuration) }
            if try !directory.lockIsHeld() { try directory.removeAll() }
        } catch {
            throw Failure(error)
        }
    }
}
