internal import JSON
internal import LinuxSystem
internal import SessionHost
internal import TunnelModel

extension Verb {
    static let sleep = Verb(
        syntax: VerbSyntax(
            "sleep",
            summary: "tell running tunnels that the system is about to sleep",
            description: [
                "For utunctl-sleep.service, which runs it before the system sleeps. Returns when"
                    + " each provider was told, and tunnels with disconnectOnSleep are down."
            ],
            examples: [Example("utunctl sleep", "tell them, as the service does")]),
        run: { context throws(Failure) in
            try SleepCommand(context: context, request: .sleep, verb: "sleep").run()
        })

    static let wake = Verb(
        syntax: VerbSyntax(
            "wake",
            summary: "tell running tunnels that the system has woken up",
            description: [
                "For utunctl-sleep.service, which runs it when the system is awake again. Each"
                    + " tunnel then looks at its rules, its firewall and its resolver anew, and"
                    + " On Demand at those that the sleep has ended."
            ],
            examples: [Example("utunctl wake", "tell them, as the service does")]),
        run: { context throws(Failure) in
            try SleepCommand(context: context, request: .wake, verb: "wake").run()
        })
}

/// A tunnel that was told.
private struct ToldTunnel: JSONEncodable {
    let name: String
    let identifier: String
    /// Whether it has ended by it.
    let ended: Bool

    func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("name", name)
            writer.member("identifier", identifier)
            writer.member("ended", ended)
        }
    }
}

private struct SleepCommand {
    /// How long hosts have to answer; a tunnel that ends has its own time.
    private static let answerMilliseconds: Int64 = 2000

    let context: Context
    let request: ControlRequest
    let verb: String

    func run() throws(Failure) -> ExitStatus {
        let targets = try TunnelTargets(context).living()
        // All at once: the system waits.
        let asked = targets.compactMap { target -> (TunnelTarget, SessionClient)? in
            guard let client = try? SessionClient(context.directory(of: target.identifier)),
                (try? client.send(request)) != nil
            else { return nil }
            return (target, client)
        }
        var told: [ToldTunnel] = []
        for (target, client) in asked {
            guard let ended = awaitAnswer(client, target) else {
                context.output.note("\(target.name): its session host does not answer")
                continue
            }
            told.append(
                ToldTunnel(name: target.name, identifier: target.identifier, ended: ended))
        }
        if request == .wake { bringBack() }
        try context.output.answer(
            ListAnswer(key: "told", elements: told),
            text: told.map { "\($0.name): \($0.ended ? "disconnected" : "told")" }
                .joined(separator: "\n"))
        return .done
    }

    /// Has On Demand look again at what a sleep has ended, whether the system slept or came not
    /// so far.
    private func bringBack() {
        let files = OnDemandFiles(context.layout)
        for configuration in TunnelTargets(context).document?.configurations ?? []
        where configuration.isArmed {
            let record = context.directory(of: configuration.identifier).record()
            guard record?.lastDisconnect.reason.code == .sleep else { continue }
            do throws(SystemError) { try files.requestTry(configuration.identifier) } catch {
                context.output.note("\(configuration.name): \(error.text)")
            }
        }
    }

    /// Whether the session has ended by it; `nil` where nothing is heard of it.
    private func awaitAnswer(_ client: SessionClient, _ target: TunnelTarget) -> Bool? {
        let deadline = Deadline.after(milliseconds: Self.answerMilliseconds)
        while true {
            switch client.receive(until: deadline) {
            case .reply(.told):
                guard request == .sleep, target.configuration?.disconnectOnSleep == true else {
                    return false
                }
                let stop = Int64((target.configuration?.stopTimeout ?? 20) + 5) * 1000
                RunningSession.awaitEnd(client, until: .after(milliseconds: stop))
                return true
            case .reply(.ended): return true
            case .reply(.refused), .closed, .timedOut: return nil
            case .reply: continue
            }
        }
    }
}
