internal import Glibc
internal import LinuxSystem
internal import Preferences
internal import SessionHost
internal import TunnelModel

extension Verb {
    static let run = Verb(
        syntax: VerbSyntax(
            "run",
            summary: "start a tunnel, run a command while it is connected, and stop it",
            operands: Operands("NAME -- COMMAND [ARGUMENT…]", minimum: 2, maximum: nil),
            options: StartCommand.commonOptions.filter { option in
                !["wait", "or-stop"].contains(option.name)
            }.map { option in
                // The same, where waiting is a matter of course.
                guard option.name == "retries" else { return option }
                return Option(
                    "retries", value: "N", summary: "try up to N times more when the tunnel fails")
            },
            description: [
                "The command is not run unless the tunnel is connected; where it does not become"
                    + " so, it is stopped again, with the exit status of start --wait. Otherwise"
                    + " the exit status is that of the command, or 128 and the number of the"
                    + " signal that ended it.",
                "A tunnel that is lost while the command runs is told of. The command goes on; but"
                    + " its success is then none, and the exit status 6.",
                "A tunnel that ran before is used, and runs on afterwards.",
            ],
            examples: [
                Example(
                    "utunctl run office -- rsync -a build/ intern.example.org:/srv/build/",
                    "copy through the tunnel, or not at all")
            ]),
        run: { context throws(Failure) in try RunCommand(context: context).run() })
}

private struct RunCommand {
    /// What ends a command, and is passed on to it.
    private static let signals = [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2]

    let context: Context

    private var command: [String] { Array(context.invocation.operands.dropFirst()) }

    func run() throws(Failure) -> ExitStatus {
        try context.settleEnrolment()
        let configuration = try context.configuration(context.operand)
        let options = try StartCommand.options(context.invocation)
        let limits = try WaitLimits(context.invocation, configuration)
        // Before anything is started for it.
        if let errno = UserCommand.problem(of: command[0]) { throw failure(errno) }
        let interruption = try Interruption(Self.signals.filter { !SignalDescriptor.isIgnored($0) })
        let given = limits.given.map { Deadline.after(milliseconds: $0) }
        let start = StartCommand(context)
        let ending = RunEnding(context, configuration)
        let first: StartReport
        do throws(Failure) {
            first = try start.accept(
                configuration, options, until: given, interruptedBy: interruption.raw)
        } catch {
            guard let next = interruption.next() else { throw error }
            ending.clear()
            ending.interrupt(next.signal)
        }
        start.noteRunning(first, options)
        let connecting = Connecting(
            start: start, configuration: configuration, options: options, limits: limits)
        var connection: Connection
        do throws(Failure) {
            connection = try connecting.follow(first, until: given, interruption)
        } catch {
            // A further try was refused; what the one before it left is to go.
            if !first.alreadyRunning { ending.clear() }
            throw error
        }
        // Nobody would pass on to the command what came before it.
        if case .connected(let report, _) = connection, let next = interruption.next() {
            connection = .interrupted(signal: next.signal, report)
        }
        switch connection {
        case .connected(let report, let client):
            let watch = RunWatch(context, report, client)
            RunEnding.end(
                try run(report, watch, ending, isOurs: !first.alreadyRunning, interruption))
        case .failed(let failure):
            // Its kill switch would go on blocking, for nothing.
            if !first.alreadyRunning { ending.clear() }
            throw failure
        case .timedOut(let status, _):
            let text = limits.notConnected(status)
            guard !first.alreadyRunning else {
                throw Failure(
                    .timedOut, "timedOut", "\(text); it ran before, and goes on trying",
                    hint: "utunctl status NAME")
            }
            ending.clear()
            throw Failure(.timedOut, "timedOut", "\(text); it was stopped")
        case .interrupted(let signal, _):
            if !first.alreadyRunning { ending.clear() }
            ending.interrupt(signal)
        }
    }

    /// Runs the command, and stops the tunnel; answers the exit status.
    private func run(
        _ report: StartReport,
        _ watch: RunWatch,
        _ ending: RunEnding,
        isOurs: Bool,
        _ interruption: borrowing Interruption
    ) throws(Failure) -> Int32 {
        // A tunnel may be gone as soon as it is there.
        watch.look()
        if let loss = watch.end() {
            if isOurs { ending.clear() }
            throw Failure(loss, clockFloor: ClockFloor.of(ending.configuration, context.layout))
        }
        let status: Int32
        do throws(SystemError) {
            let child = try UserCommand(
                command, unblocking: interruption.signals, mask: context.callersMask)
            watch.commandRuns = true
            status = try follow(child, watch, interruption)
            watch.commandRuns = false
        } catch {
            if isOurs { ending.clear() }
            throw failure(error.errno)
        }
        watch.look()
        var result = RunResult(command: status)
        result.loss = watch.end()
        if isOurs { result.stopFailure = ending.stop(report) }
        return ending.tell(result)
    }

    private func follow(
        _ child: borrowing UserCommand,
        _ watch: RunWatch,
        _ interruption: borrowing Interruption
    ) throws(SystemError) -> Int32 {
        while true {
            if let status = try child.statusIfEnded() { return status }
            let events = [child.descriptor, interruption.raw, watch.descriptor]
            _ = try LineClient.wait(
                for: events.compactMap { $0 }.map { ($0, .readable) }, until: .never)
            watch.look()
            while let (signal, isOfTerminal) = interruption.next() {
                // The terminal has sent it to the command as well.
                if !isOfTerminal || !child.isOfOurJob { child.signal(signal) }
            }
        }
    }

    private func failure(_ errno: CInt) -> Failure {
        let reason = SystemError.reason(of: errno)
        return Failure(
            errno == ENOENT ? .commandMissing : .commandUnusable,
            errno == ENOENT ? "commandMissing" : "commandUnusable",
            "\(command[0].shownInMessage) cannot be run: \(reason)")
    }
}
