internal import JSON
internal import LinuxSystem
internal import Preferences
internal import SessionHost
internal import TunnelModel

extension Verb {
    static let stop = Verb(
        syntax: VerbSyntax(
            "stop",
            summary: "stop a tunnel and leave nothing of it",
            operands: Operands("NAME… | --all", minimum: 0, maximum: nil),
            options: [
                Option("all", summary: "stop every tunnel of this root"),
                Option("no-wait", summary: "return when it has begun to stop"),
                Option(
                    "timeout", value: "TIME",
                    summary:
                        "kill what has not ended by then; default: the stopTimeout that it"
                        + " was started with + 5 s"),
                Option(
                    "origin", value: "WHO", choices: StopOrigin.allCases.map(\.rawValue),
                    summary: "user (default), ondemand: a rule, which sets no hold, or systemd:"
                        + " the unit itself, which ends"),
                Option(
                    "reason", value: "TEXT",
                    summary: "with --origin ondemand: which rule, to be told by lastDisconnect"),
            ],
            description: [
                "Returns when the tunnel is down and its interface, addresses and routes are"
                    + " gone. A tunnel that does not run is success, with a note.",
                "A tunnel that is a unit of systemd is stopped with it: when this returns, the unit"
                    + " is inactive, and nothing is about to start it again.",
                "Works without the preferences, without the session host and without the runtime"
                    + " directory: the interface carries a mark in the kernel.",
            ],
            examples: [
                Example("utunctl stop office", "stop one tunnel"),
                Example("utunctl stop --all", "stop all of them"),
            ]),
        run: { context throws(Failure) in try StopCommand(context: context).run() })
}

private struct StoppedTunnel: JSONEncodable {
    let name: String
    let identifier: String
    let outcome: StopOutcome

    func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("name", name)
            writer.member("identifier", identifier)
            writer.member("wasRunning", outcome.wasRunning)
            writer.member("forced", outcome.forced)
        }
    }
}

private struct StopCommand {
    /// As long as systemd gives to what is left of all units.
    private static let allMilliseconds: Int64 = 60_000

    let context: Context

    func run() throws(Failure) -> ExitStatus {
        let known = TunnelTargets(context)
        let targets = try known.chosen(by: context) { targets throws(Failure) in
            try targets.living()
        }
        let given: Duration?
        do { given = try context.invocation.duration("timeout") } catch { throw Failure(error) }
        let origin = try StopOrigin(context.invocation)
        let rule = context.invocation.value("reason")
        if rule != nil, origin != .ondemand {
            throw Failure(UsageError("--reason goes with --origin ondemand"))
        }
        if context.invocation.has("all"), origin == .user { hold(known.document, but: targets) }
        var stopped: [StoppedTunnel] = []
        var failure: Failure?
        for target in targets {
            do throws(Failure) {
                let outcome = try Stopping(context).stop(
                    target.identifier, name: target.name,
                    reason: reason(origin, target), timeout: given?.wholeMilliseconds,
                    waits: !context.invocation.has("no-wait"),
                    mayBlock: target.configuration.map { $0.routing.mode == .all } ?? true,
                    origin: origin)
                stopped.append(
                    StoppedTunnel(
                        name: target.name, identifier: target.identifier, outcome: outcome))
                if !context.invocation.has("no-wait") { try clear(target) }
                if target.configuration == nil, known.document != nil {
                    // Nothing is left that On Demand could start.
                    try? context.directory(of: target.identifier).liftHold()
                }
                if let problem = outcome.holdProblem, target.configuration?.onDemand.enabled ?? true
                {
                    throw Failure(
                        .failure, "holdNotSet",
                        "it is stopped, but On Demand may start it again: \(problem)",
                        hint: "make room or mend that, and stop it once more")
                }
            } catch {
                // The others are stopped all the same.
                if failure != nil || targets.count > 1 {
                    context.output.note("stop \(target.name): \(error.text)")
                }
                failure = failure ?? error.filling(name: target.name)
            }
        }
        // Units that wait for their next start have no session to be found by.
        if context.invocation.has("all"), origin == .user,
            let manager = ServiceManager.find(context.layout)
        {
            try manager.stop(
                ServiceManager.unit(of: "*"), waits: !context.invocation.has("no-wait"),
                milliseconds: Self.allMilliseconds)
        }
        for tunnel in stopped where !tunnel.outcome.wasRunning && origin == .user {
            context.output.note(
                tunnel.outcome.endedTrying
                    ? "\(tunnel.name): it did not run; systemd tries no more"
                    : "\(tunnel.name): it does not run")
        }
        for tunnel in stopped { noteBlock(of: tunnel, targets) }
        for tunnel in stopped where tunnel.outcome.forced {
            context.output.note("\(tunnel.name): a process had to be killed")
        }
        if let failure { throw failure }
        let text = stopped.map { tunnel in
            let isStopping = context.invocation.has("no-wait") && tunnel.outcome.wasRunning
            return "\(tunnel.name): \(isStopping ? "stopping" : "stopped")"
        }
        try context.output.answer(
            ListAnswer(key: "stopped", elements: stopped), text: text.joined(separator: "\n"))
        return .done
    }

    /// Whoever stops all tunnels does not want those either that On Demand is about to start.
    private func hold(_ document: PreferencesDocument?, but targets: [TunnelTarget]) {
        let stopped = Set(targets.map(\.identifier))
        for configuration in document?.configurations ?? []
        where configuration.onDemand.enabled && !stopped.contains(configuration.identifier) {
            if let problem = Stopping(context).setHold(configuration.identifier, by: .user) {
                context.output.note("\(configuration.name): On Demand may start it: \(problem)")
            }
        }
    }

    private func reason(_ origin: StopOrigin, _ target: TunnelTarget) -> DisconnectReason {
        switch origin {
        case .user: return DisconnectReason(.stoppedByUser, "")
        case .ondemand:
            let rule = context.invocation.value("reason")?.madePrintable(limit: 500)
            return DisconnectReason(.onDemandRule, rule ?? "On Demand has stopped it")
        case .systemd: break
        }
        let unit = ServiceManager.unit(ofProcess: "self") ?? ServiceManager.unit(of: target.name)
        return StopOrigin.reason(ofUnit: unit, jobs: try? ServiceManager().jobs())
    }

    /// Tries again what the session could not put back, and says why where it cannot be.
    private func clear(_ target: TunnelTarget) throws(Failure) {
        do throws(SessionError) {
            try Leftovers(context.layout).retakeChanges(of: target.identifier)
        } catch {
            throw Failure(error)
        }
    }

    private func noteBlock(of tunnel: StoppedTunnel, _ targets: [TunnelTarget]) {
        let saved = targets.first { $0.identifier == tunnel.identifier }?.configuration
        if case .lifted = tunnel.outcome.block {
            context.output.note("\(tunnel.name): the block of its kill switch is lifted")
        }
        // It is the session's own that counts: another may be saved by now.
        context.noteKeptBlock(
            tunnel.outcome, of: tunnel.name, isSaved: saved?.routing.lockdown == .always)
    }
}
