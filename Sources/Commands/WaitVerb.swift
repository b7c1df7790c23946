internal import JSON
internal import LinuxSystem
internal import Preferences
internal import SessionHost
internal import TunnelModel

extension Verb {
    static let wait = Verb(
        syntax: VerbSyntax(
            "wait",
            summary: "wait until a tunnel is connected, or something else is so",
            operands: Operands("NAME", minimum: 1, maximum: 1),
            options: [
                Option(
                    "for", value: "WHAT", choices: WaitCondition.allCases.map(\.rawValue),
                    summary:
                        "connected (the default), disconnected, address, handshake or traffic"),
                Option(
                    "timeout", value: "TIME",
                    summary:
                        "wait at most so long; default: the configuration's startTimeout + 5 s,"
                        + " for disconnected its stopTimeout + 5 s"),
            ],
            description: [
                "Starts and stops nothing. A tunnel that does not run yet is waited for too; one"
                    + " that fails meanwhile ends the wait, with the reason.",
                "address: its addresses can be bound. handshake: the far end has proved itself to"
                    + " this session. traffic: a packet has come from the tunnel since the wait"
                    + " began. disconnected: no session is left.",
            ],
            examples: [
                Example("utunctl wait office", "return when it is connected"),
                Example(
                    "utunctl wait office --for address --timeout 30",
                    "return when a server can bind to the addresses of the tunnel"),
            ]),
        run: { context throws(Failure) in try WaitCommand(context: context).run() })
}

/// What `wait` answers.
private struct WaitAnswer: JSONEncodable {
    let target: TunnelTarget
    let condition: WaitCondition
    let status: TunnelStatus

    func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("formatVersion", 1)
            writer.member("name", target.name)
            writer.member("identifier", target.identifier)
            writer.member("for", condition.rawValue)
            writer.member("status", status.rawValue)
        }
    }
}

private struct WaitCommand {
    let context: Context

    func run() throws(Failure) -> ExitStatus {
        let condition: WaitCondition
        let given: Duration?
        do throws(UsageError) {
            condition =
                try context.invocation.value("for").map { name throws(UsageError) in
                    try WaitCondition(name)
                } ?? .connected
            given = try context.invocation.duration("timeout")
        } catch {
            throw Failure(error)
        }
        let target = try target(condition)
        let timeout =
            given?.wholeMilliseconds ?? condition.standardSeconds(target.configuration) * 1000
        let deadline = Deadline.after(milliseconds: timeout)
        let interruption = try Interruption()
        let wait = try TunnelConditionWait(context, target, condition)
        let progress = WaitProgress(
            context.output, name: target.name, goal: "waiting for \(condition.goal)",
            until: deadline)
        switch try wait.run(deadline, interruption, progress) {
        case .met(let status):
            let answer = WaitAnswer(target: target, condition: condition, status: status)
            try context.output.answer(answer, text: "\(target.name): \(condition.outcome)")
            return .done
        case .ended(let reason):
            throw Failure(reason, clockFloor: ClockFloor.of(target.configuration, context.layout))
        case .interrupted(let signal):
            context.output.note("\(target.name): no longer waiting")
            return ExitStatus(ofSignal: signal)
        case .timedOut(let status):
            throw failure(condition, status, milliseconds: timeout)
        }
    }

    // To be told that nothing is left takes no preferences, as stopping takes none.
    private func target(_ condition: WaitCondition) throws(Failure) -> TunnelTarget {
        if condition == .disconnected { return try TunnelTargets(context).resolve(context.operand) }
        let configuration = try context.configuration(context.operand)
        let target = TunnelTargets(context).target(configuration.identifier)
        guard configuration.enabled || isHeld(target) else {
            throw Failure(
                .notConnected, "notRunning", "it does not run, and is saved as disabled",
                hint: "utunctl save NAME --set enabled=true")
        }
        return target
    }

    private func isHeld(_ target: TunnelTarget) -> Bool {
        (try? context.directory(of: target.identifier).lockIsHeld()) ?? true
    }

    private func failure(
        _ condition: WaitCondition,
        _ status: TunnelStatus,
        milliseconds: Int64
    ) -> Failure {
        let seconds = Double(milliseconds) / 1000
        guard condition != .disconnected else {
            return Failure(
                .timedOut, "timedOut", "not disconnected after \(seconds) s; it still runs",
                hint: "utunctl stop NAME")
        }
        guard status != .disconnected else {
            return Failure(
                .notConnected, "notRunning", "not connected after \(seconds) s; it does not run",
                hint: "utunctl start NAME")
        }
        let lack = status == .connected ? condition.lack : "not connected"
        return Failure(
            .timedOut, "timedOut", "\(lack) after \(seconds) s (\(status.rawValue))",
            hint: "utunctl status NAME")
    }
}
