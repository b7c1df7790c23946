internal import LinuxSystem
internal import Preferences
internal import SessionHost
internal import TunnelModel

/// What became of a start that was waited for.
enum Connection {
    /// The client hears what comes after.
    case connected(StartReport, SessionClient)
    /// The tunnel failed, and does not run any more.
    case failed(Failure)
    case timedOut(TunnelStatus, StartReport)
    /// Without a report nothing runs: it was between two tries.
    case interrupted(signal: Int32, StartReport?)
}

/// Waits for a start to connect, and starts again what failed, as often as was asked for.
struct Connecting {
    let start: StartCommand
    let configuration: Configuration
    let options: [String: String]
    let limits: WaitLimits

    private var context: Context { start.context }

    /// Follows a start that was accepted, and those after it.
    ///
    /// Without `given`, the time of all of them begins here: until now it was that of others.
    func follow(
        _ first: StartReport,
        until given: Deadline?,
        _ interruption: borrowing Interruption
    ) throws(Failure) -> Connection {
        let deadline = given ?? .after(milliseconds: limits.total)
        var report = first
        var retry = 0
        while true {
            switch outcome(of: report, until: deadline, interruption) {
            case .connected(let client):
                report.status = .connected
                return .connected(report, client)
            case .interrupted(let signal): return .interrupted(signal: signal, report)
            case .timedOut(let status): return .timedOut(status, report)
            case .ended(let reason):
                let floor = ClockFloor.of(configuration, context.layout)
                let failure = Failure(reason, clockFloor: floor)
                guard retry < limits.retries, reason.code.mayPassByItself, !deadline.hasPassed
                else { return .failed(failure) }
                retry += 1
                let seconds = WaitLimits.pauseSeconds(before: retry)
                context.output.note(
                    "\(report.name): try \(retry) of \(limits.retries + 1) failed:"
                        + " \(reason.summary); the next one in \(seconds) s")
                // The next try is this one's; a unit's own would come in between.
                try start.endTrying(configuration)
                let pause = Deadline.after(milliseconds: seconds * 1000)
                if let signal = interruption.pause(until: .first(pause, deadline)) {
                    return .interrupted(signal: signal, nil)
                }
                if deadline.hasPassed { return .failed(failure) }
                // What was saved meanwhile is what is started.
                let saved = try context.configuration(report.identifier)
                do throws(Failure) {
                    report = try start.accept(
                        saved, options, until: given, interruptedBy: interruption.raw)
                } catch {
                    guard let next = interruption.next() else { throw error }
                    return .interrupted(signal: next.signal, nil)
                }
            }
        }
    }

    private func outcome(
        of report: StartReport,
        until deadline: Deadline,
        _ interruption: borrowing Interruption
    ) -> TunnelWait.Outcome {
        let deadline = Deadline.first(deadline, .after(milliseconds: limits.each))
        let progress = WaitProgress(
            context.output, name: report.name, goal: "waiting for connected", until: deadline,
            known: .connecting)
        return TunnelWait(context.directory(of: report.identifier), attempt: report.attempt)
            .untilConnected(deadline, interruption, progress)
    }
}

extension DisconnectCode {
    /// Whether another try may do better, without anybody's having mended anything.
    ///
    /// Not what somebody asked for; nor where the two ends do not accept each other, which only
    /// counts as one more wrong password over there.
    var mayPassByItself: Bool {
        guard !wasAskedFor else { return false }
        switch kind {
        case .authentication, .trust: return false
        default: return true
        }
    }
}
