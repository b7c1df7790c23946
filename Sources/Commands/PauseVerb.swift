internal import JSON
internal import LinuxSystem
internal import SessionHost
internal import TunnelModel

extension Verb {
    static let pause = Verb(
        syntax: VerbSyntax(
            "pause",
            summary: "lift the block of a kill switch for a while, as for a captive portal",
            operands: Operands("NAME", minimum: 1, maximum: 1),
            options: [
                Option(
                    "for", value: "TIME",
                    summary: "block again after so long, by itself: at most a day"),
                Option("end", summary: "block again now"),
            ],
            description: [
                "For a tunnel with routing.includeAllNetworks, whether it runs or has left this"
                    + " host blocked. Meanwhile packets leave beside the tunnel, as if there were"
                    + " none.",
                "It is the kernel that ends the pause: the block comes back whichever process has"
                    + " ended until then.",
            ],
            examples: [
                Example("utunctl pause office --for 10m", "log in to the network of a hotel")
            ]),
        run: { context throws(Failure) in try PauseCommand(context: context).run() })
}

/// What `pause` answers.
private struct Paused: JSONEncodable {
    let target: TunnelTarget
    let until: Timestamp?

    func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("formatVersion", 1)
            writer.member("name", target.name)
            writer.member("identifier", target.identifier)
            writer.member("pausedUntil", until)
        }
    }
}

private struct PauseCommand {
    private static let answerMilliseconds: Int64 = 15_000

    let context: Context

    func run() throws(Failure) -> ExitStatus {
        let seconds = try seconds()
        let target = try TunnelTargets(context).resolve(context.operand)
        let directory = context.directory(of: target.identifier)
        let until: Timestamp?
        switch try RunningSession.find(directory) {
        case .running: until = try ask(directory, seconds)
        case .ending, .beginning:
            throw Failure(
                .conflict, "sessionChanges", "its session is only beginning or ending",
                hint: "utunctl status \(target.name)")
        case .none: until = try pauseBlock(of: target, seconds)
        }
        let text = until.map { "\(target.name): not blocked until \($0.text)" }
        try context.output.answer(
            Paused(target: target, until: until), text: text ?? "\(target.name): blocked again")
        return .done
    }

    private func seconds() throws(Failure) -> UInt32 {
        let given: Duration?
        do { given = try context.invocation.duration("for") } catch { throw Failure(error) }
        guard !context.invocation.has("end") else {
            guard given == nil else {
                throw Failure(UsageError("pause takes --for TIME or --end, not both"))
            }
            return 0
        }
        guard let given else {
            throw Failure(
                UsageError("no time given", hint: "utunctl pause NAME --for 10m, or --end"))
        }
        let seconds = (given.wholeMilliseconds + 999) / 1000
        guard (1...Int64(ControlRequest.longestPause)).contains(seconds) else {
            throw Failure(UsageError("--for: a pause takes from a second to a day"))
        }
        return UInt32(seconds)
    }

    private func ask(_ directory: SessionDirectory, _ seconds: UInt32) throws(Failure)
        -> Timestamp?
    {
        let reply: SessionClient.Reply
        do throws(SessionClient.Failure) {
            let client = try SessionClient(directory)
            try client.send(.pause(seconds: seconds))
            reply = client.receive(until: .after(milliseconds: Self.answerMilliseconds))
        } catch {
            reply = .closed
        }
        switch reply {
        case .reply(.paused(let until)): return until
        case .reply(.refused(let text)):
            throw Failure(
                .refused, "notBlocked", text,
                hint: "a pause is for tunnels with routing.includeAllNetworks")
        case .reply, .closed, .timedOut:
            throw Failure(
                .conflict, "sessionHostSilent", "the session host did not answer",
                hint: "utunctl status NAME")
        }
    }

    private func pauseBlock(of target: TunnelTarget, _ seconds: UInt32) throws(Failure)
        -> Timestamp?
    {
        let leftovers = Leftovers(context.layout)
        let isBlocked: Bool
        do throws(SessionError) {
            if seconds > 0, let configuration = target.configuration,
                try !leftovers.blocked(among: [target.identifier]).isEmpty
            {
                // Of two layers the firewall is the one that blocks again by itself.
                try leftovers.lockDown(configuration)
            }
            isBlocked = try leftovers.pauseBlock(of: target.identifier, seconds: seconds)
        } catch {
            throw Failure(error)
        }
        guard isBlocked else {
            throw Failure(
                .refused, "notBlocked", "nothing is blocked by it",
                hint: "utunctl status \(target.name)")
        }
        guard seconds > 0 else { return nil }
        return Timestamp(
            microseconds: Timestamp.now.microseconds + Int64(seconds) * 1_000_000)
    }
}
