internal import JSON
internal import Preferences
internal import SessionHost
internal import TunnelModel

extension Verb {
    static let lockdown = Verb(
        syntax: VerbSyntax(
            "lockdown",
            summary: "block this host for every tunnel with routing.lockdown \"always\"",
            options: [],
            description: [
                "For utunctl-lockdown.service, which runs it before the network comes up: nothing"
                    + " leaves until such a tunnel runs, and nothing beside it then. A disabled"
                    + " configuration, and one that is blocked already or runs, is left as it is.",
                "utunctl unblock NAME lifts it, and nothing else does.",
            ],
            examples: [
                Example("utunctl lockdown", "block now, as the service does at boot")
            ]),
        run: { context throws(Failure) in try LockdownCommand(context: context).run() })
}

/// A configuration that blocks this host.
private struct LockedDown: JSONEncodable {
    let configuration: Configuration

    func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("name", configuration.name)
            writer.member("identifier", configuration.identifier)
        }
    }
}

private struct LockdownCommand {
    let context: Context

    func run() throws(Failure) -> ExitStatus {
        let wanted = try context.preferences().configurations.filter {
            $0.enabled && $0.routing.mode == .all && $0.routing.lockdown == .always
        }
        var blocked: [LockedDown] = []
        var failure: Failure?
        for configuration in wanted {
            do throws(SessionError) {
                try Leftovers(context.layout).lockDown(configuration)
                blocked.append(LockedDown(configuration: configuration))
            } catch {
                context.output.note("\(configuration.name): \(Failure(error).text)")
                failure = failure ?? Failure(error).filling(name: configuration.name)
            }
        }
        if wanted.isEmpty { context.output.note("no configuration asks for it") }
        try context.output.answer(
            ListAnswer(key: "blocked", elements: blocked, failure: failure),
            text: blocked.map { "\($0.configuration.name): blocked" }.joined(separator: "\n"))
        guard let failure else { return .done }
        context.output.report(failure, verb: "lockdown", subject: nil, isAnswered: true)
        return failure.exitStatus
    }
}
