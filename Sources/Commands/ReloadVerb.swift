internal import JSON
internal import LinuxSystem
internal import SessionHost
internal import TunnelModel

extension Verb {
    static let reload = Verb(
        syntax: VerbSyntax(
            "reload",
            summary: "put what is saved into force while the tunnel goes on",
            operands: Operands("NAME", minimum: 1, maximum: 1),
            description: [
                "Routes, resolver, MTU and the peers of WireGuard change by difference: what stays"
                    + " the same loses no packet, and keeps its sessions and counters.",
                "Where a key needs a restart, all of them are named, the exit status is 12, and"
                    + " nothing has changed.",
            ],
            examples: [
                Example("utunctl reload office", "put a route that was added into force")
            ]),
        run: { context throws(Failure) in try ReloadCommand(context: context).run() })
}

/// What `reload` answers.
private struct Reloaded: JSONEncodable {
    let name: String
    let identifier: String
    let generation: UInt64
    let applied: [String]

    func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("formatVersion", 1)
            writer.member("name", name)
            writer.member("identifier", identifier)
            writer.member("generation", generation)
            writer.member("applied", applied)
            writer.member("changed", !applied.isEmpty)
        }
    }

    var text: String {
        let end = applied.isEmpty ? "" : ": \(applied.joined(separator: ", "))"
        return "\(name): generation \(generation) is in force\(end)"
    }
}

private struct ReloadCommand {
    /// Names, firewall, resolver and provider have shorter times of their own.
    private static let answerMilliseconds: Int64 = 60_000

    let context: Context

    func run() throws(Failure) -> ExitStatus {
        try context.settleEnrolment()
        let configuration = try context.configuration(context.operand)
        let directory = context.directory(of: configuration.identifier)
        switch try RunningSession.find(directory) {
        case .running(let report):
            guard [.connected, .reasserting, .waiting].contains(report.status) else {
                throw changing("it is \(report.status.rawValue)")
            }
        case .ending, .beginning: throw changing("its session is only beginning or ending")
        case .none:
            throw Failure(
                .notConnected, "notRunning", "it does not run, so there is nothing to change",
                hint: "utunctl start --wait NAME")
        }
        let reloaded = try ask(directory, configuration)
        if reloaded.applied.isEmpty {
            context.output.note("\(reloaded.name): it runs what is saved already")
        }
        try context.output.answer(reloaded, text: reloaded.text)
        return .done
    }

    private func ask(_ directory: SessionDirectory, _ configuration: Configuration)
        throws(Failure) -> Reloaded
    {
        let reply: SessionClient.Reply
        do throws(SessionClient.Failure) {
            let client = try SessionClient(directory)
            try client.send(.reload)
            reply = client.receive(until: .after(milliseconds: Self.answerMilliseconds))
        } catch {
            reply = .closed
        }
        switch reply {
        case .reply(.reloaded(let generation, let applied)):
            return Reloaded(
                name: configuration.name, identifier: configuration.identifier,
                generation: generation, applied: applied)
        case .reply(.restartNeeded(let keys)):
            throw Failure(
                .conflict, "restartNeeded",
                "a restart is needed for: \(keys.joined(separator: ", ")); nothing was changed",
                hint: "utunctl restart NAME")
        case .reply(.refused(let text)): throw refusal(of: configuration, text)
        case .timedOut:
            throw Failure(
                .timedOut, "timedOut", "the session host has not answered yet",
                hint: "utunctl status NAME")
        case .reply, .closed: throw changing("its session has come to an end")
        }
    }

    /// The refusal of a host in the words of a start, where that would be refused as well.
    private func refusal(of configuration: Configuration, _ text: String) -> Failure {
        do throws(SessionError) {
            _ = try Preflight(configuration, context.layout, opensHandedOver: false)
        } catch {
            return Failure(error)
        }
        return Failure(
            .refused, "reloadRefused", "\(text); nothing was changed",
            hint: "utunctl restart NAME, or mend what is saved")
    }

    private func changing(_ text: String) -> Failure {
        Failure(.conflict, "sessionChanges", text, hint: "utunctl status NAME")
    }
}
