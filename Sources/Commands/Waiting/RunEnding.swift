internal import LinuxSystem
internal import Preferences
internal import SessionHost
internal import TunnelModel

/// What a `run` came to.
struct RunResult {
    /// The exit status of the command.
    let command: Int32
    /// How the tunnel was lost while the command ran.
    var loss: DisconnectReason?
    /// Why the tunnel could not be stopped.
    var stopFailure: Failure?

    /// The exit status: what the command says, unless its success is not to be trusted.
    var exitStatus: Int32 {
        if command != 0 { return command }
        if loss != nil { return ExitStatus.tunnelFailed.rawValue }
        return stopFailure == nil ? 0 : ExitStatus.failure.rawValue
    }
}

/// Leaves a tunnel as `run` has found it: not running.
struct RunEnding {
    private let context: Context
    let configuration: Configuration

    init(_ context: Context, _ configuration: Configuration) {
        self.context = context
        self.configuration = configuration
    }

    /// Stops what was started for nothing.
    func clear() {
        if let failure = stop(text: "its command was not run") { report(failure) }
    }

    /// Stops the tunnel after its command; answers why that failed.
    ///
    /// A session that somebody else has started since is theirs, but not one that systemd has, as
    /// what `run` had started failed.
    func stop(_ report: StartReport) -> Failure? {
        let found = try? RunningSession.find(context.directory(of: report.identifier))
        if case .running(let session)? = found, session.attempt != report.attempt,
            session.origin != .systemd
        {
            context.output.note("\(report.name): somebody has started it anew, and it runs on")
            return nil
        }
        return stop(text: "its command has ended")
    }

    /// Tells what did not go as it should; answers the exit status.
    func tell(_ result: RunResult) -> Int32 {
        if let failure = result.stopFailure { report(failure) }
        if result.command == 0, let loss = result.loss {
            let failure = Failure(
                loss, clockFloor: ClockFloor.of(configuration, context.layout))
            report(
                Failure(
                    failure.exitStatus, failure.code,
                    "the tunnel was lost while the command ran: \(loss.summary)",
                    hint: failure.hint))
        }
        return result.exitStatus
    }

    /// Ends as the command has.
    static func end(_ status: Int32) -> Never { UserCommand.endProcess(status) }

    /// Ends as the signal that came before the command.
    func interrupt(_ signal: Int32) -> Never {
        context.output.note("\(configuration.name): interrupted; the command was not run")
        Self.end(128 + signal)
    }

    private func stop(text: String) -> Failure? {
        do throws(Failure) {
            let outcome = try Stopping(context).stop(
                configuration.identifier, name: configuration.name,
                reason: DisconnectReason(.commandEnded, text),
                mayBlock: configuration.routing.mode == .all)
            context.noteKeptBlock(outcome, of: configuration.name, isSaved: true)
            return nil
        } catch {
            return error
        }
    }

    // Standard output is the command's own.
    private func report(_ failure: Failure) {
        context.output.report(
            failure, verb: "run", subject: configuration.name, isAnswered: true)
    }
}
