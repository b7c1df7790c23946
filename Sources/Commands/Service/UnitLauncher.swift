internal import LinuxSystem
internal import Preferences
internal import SessionHost
internal import TunnelModel

/// Starts a session host as a unit of systemd, and waits for its one line: accepted or refused.
struct UnitLauncher {
    /// How long the host may take to come: what its unit is ordered after may have to come first.
    private static let hostMilliseconds: Int64 = 20_000
    /// How often systemd is asked meanwhile whether the unit has failed.
    private static let lookMilliseconds: Int64 = 250

    private let manager: ServiceManager
    private let layout: FileLayout
    private let signals: CInt?

    /// Where `signals` becomes readable the wait is given up.
    init(_ manager: ServiceManager, _ layout: FileLayout, interruptedBy signals: CInt?) {
        self.manager = manager
        self.layout = layout
        self.signals = signals
    }

    /// Launches the host of a configuration.
    func launch(_ configuration: Configuration, _ request: StartRequest) throws(Failure)
        -> StartReport
    {
        let unit = ServiceManager.unit(of: configuration.name)
        let directory = SessionDirectory(layout, identifier: configuration.identifier)
        let awaited: AwaitedStart
        do throws(SessionError) { try SessionDirectory.prepare(layout) } catch {
            throw Failure(error)
        }
        do throws(SystemError) {
            awaited = try AwaitedStart(directory, attempt: request.attempt)
        } catch {
            throw Failure(error)
        }
        try manager.refuseUnit(unit, ofOtherThan: directory)
        // A unit that waits for its next try would let this start wait as well.
        try manager.endTrying(unit)
        try manager.start(unit)
        let answer: Result<StartReport, Failure>
        let host = try host(of: unit, awaited)
        do throws(SystemError) { answer = try HostLauncher.answer(of: host, request) } catch {
            throw Failure(error)
        }
        return try answer.get()
    }

    private func host(of unit: String, _ awaited: AwaitedStart) throws(Failure) -> LineClient {
        let deadline = Deadline.after(milliseconds: Self.hostMilliseconds)
        while true {
            let host: LineClient?
            do throws(SystemError) {
                host = try awaited.host(until: .after(milliseconds: Self.lookMilliseconds))
            } catch {
                throw Failure(error)
            }
            if let host { return host }
            if let signals { try StartCommand.refuseInterrupted(signals) }
            let state = try manager.state(of: unit)
            if state.isAtRest || state.isAboutToStartAgain {
                // Whoever is told that it did not start is not to find it running later.
                try manager.endTrying(unit)
                throw failure(of: unit, state)
            }
            if deadline.hasPassed {
                throw Failure(
                    .timedOut, "timedOut",
                    "\(unit) is still \(state.text): systemd has not started it yet",
                    hint: "systemctl list-jobs shows what it waits for")
            }
        }
    }

    /// What systemd itself could not do before the program ran: systemd.exec(5).
    private static let stages: [String: String] = [
        "203": "EXEC", "216": "GROUP", "217": "USER", "218": "CAPABILITIES", "226": "NAMESPACE",
        "228": "SECCOMP", "233": "RUNTIME_DIRECTORY", "243": "CREDENTIALS",
    ]

    private func failure(of unit: String, _ state: ServiceManager.UnitState) -> Failure {
        guard state.result != "success" else {
            return Failure(
                .tunnelFailed, "stoppedByUser", "\(unit) was stopped before it began",
                hint: "start it again where that was not meant")
        }
        var text = "\(unit) ended before it began: \(state.result)"
        if let stage = Self.stages[state.mainStatus] { text += ", \(state.mainStatus)/\(stage)" }
        return Failure(
            .notPossible, "unitFailed", text,
            hint: state.needsDaemonReload
                ? "its files have changed: systemctl daemon-reload, and start it again"
                : state.mainStatus == "243"
                    ? "see whether its LoadCredential= names a file that is there"
                    : "systemctl status \(unit) says more; --direct starts without systemd")
    }
}
