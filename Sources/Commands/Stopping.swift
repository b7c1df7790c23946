internal import Glibc
internal import LinuxSystem
internal import SessionHost
internal import TunnelModel

/// What stopping a tunnel came to.
struct StopOutcome: Equatable {
    var wasRunning: Bool
    /// Whether a process had to be killed.
    var forced: Bool
    /// Whether its session said that it has come to its end, so that nothing is left of it.
    var cameToItsEnd = false
    /// Whether its unit was about to start it again.
    var endedTrying = false
    /// Why the hold of On Demand could not be set, where it was to be.
    var holdProblem: String?
    /// What became of the block of a kill switch that is not there any more with its session.
    var block = Leftovers.Lifting.nothing
}

/// Stops one tunnel, by its host if that answers and without it if not, and leaves nothing.
struct Stopping {
    /// How long a host may take to say that it has begun to stop.
    private static let acknowledgeMilliseconds: Int64 = 2000
    /// How long a session may be between its lock and its socket, at either end of its life.
    private static let changeMilliseconds: Int64 = 1000
    /// How long processes take to go once they were killed.
    private static let killMilliseconds: Int64 = 5000

    private let context: Context

    init(_ context: Context) {
        self.context = context
    }

    /// How long a stop may take before anything is said of it.
    private static let silentMilliseconds: Int64 = 1000

    /// Stops the tunnel of a configuration; one that does not run is success.
    ///
    /// A host that has begun is killed after `timeout` milliseconds, or five seconds after the
    /// time that its own configuration, not the saved one, gives its provider; without `waits` it is
    /// enough that it has begun. `mayBlock` is false of a configuration without a kill switch,
    /// of which a session that has ended itself left no block. For systemd only a session that
    /// runs takes its block with it, as a unit that has ended by itself is no reason to lift what
    /// its session left.
    func stop(
        _ identifier: String,
        name: String,
        reason: DisconnectReason,
        timeout: Int64? = nil,
        waits: Bool = true,
        mayBlock: Bool = true,
        origin: StopOrigin = .user
    ) throws(Failure) -> StopOutcome {
        // First: On Demand is not to start it between its end and the hold.
        let holdProblem = reason.code.setsHold ? setHold(identifier, by: origin) : nil
        let timeout = timeout ?? patience(with: identifier)
        let progress = WaitProgress(
            context.output, name: name, goal: "waiting for its end",
            until: .after(milliseconds: timeout), known: .disconnecting,
            silentMilliseconds: Self.silentMilliseconds)
        // A unit that ends by itself would wait for itself, and one that restarts is not to rest.
        let manager =
            origin != .systemd && reason.code.liftsBlock ? ServiceManager.find(context.layout) : nil
        let unit = manager == nil ? nil : unit(of: identifier, name)
        var outcome = try end(identifier, reason, progress, timeout: timeout, waits: waits)
        outcome.holdProblem = holdProblem
        // Also where it was about to start another session.
        if let manager, let unit {
            outcome.endedTrying = try manager.settle(unit, waits: waits, milliseconds: timeout)
        }
        guard waits, reason.code.liftsBlock, origin != .systemd || outcome.wasRunning,
            !outcome.cameToItsEnd || mayBlock
        else { return outcome }
        // What a session that failed has left standing is wanted away too.
        do throws(SessionError) {
            outcome.block = try Leftovers(context.layout).lift(identifier, onDemand: false)
        } catch {
            throw Failure(error)
        }
        return outcome
    }

    /// The unit of a session, or that of its name where this is no other tunnel's.
    private func unit(of identifier: String, _ name: String) -> String? {
        if let own = ServiceManager.unit(of: context.directory(of: identifier)) { return own }
        let unit = ServiceManager.unit(of: name)
        let holder = ServiceManager.identifier(ofUnit: unit, context.layout)
        return holder == nil || holder == identifier ? unit : nil
    }

    private func patience(with identifier: String) -> Int64 {
        let record = context.directory(of: identifier).record()
        return (Int64(record?.stopTimeout ?? 20) + 5) * 1000
    }

    /// Sets the hold of On Demand; answers why that failed.
    func setHold(_ identifier: String, by origin: StopOrigin) -> String? {
        do throws(SessionError) {
            try SessionDirectory.prepare(context.layout)
        } catch {
            return Failure(error).text
        }
        do throws(SystemError) {
            try context.directory(of: identifier).setHold(by: origin.session)
            return nil
        } catch {
            return error.text
        }
    }

    private func end(
        _ identifier: String,
        _ reason: DisconnectReason,
        _ progress: WaitProgress,
        timeout: Int64,
        waits: Bool
    ) throws(Failure) -> StopOutcome {
        defer { progress.end() }
        let directory = context.directory(of: identifier)
        let unreachable = UnreachableSession(context.layout, identifier, reason)
        let changing = Deadline.after(milliseconds: Self.changeMilliseconds)
        var wasReached = false
        while true {
            switch ask(directory, reason) {
            case .asked(let client):
                let outcome = try awaitEnd(
                    client, directory, reason, progress, timeout, waits)
                if let outcome { return outcome }
                wasReached = true
            case .failed(.forbidden):
                throw Failure(
                    .notPossible, "sessionHostForbidden", "this user may not stop it",
                    hint: "run as root")
            case .failed(.silent), .failed(.unreachable), .failed(.none):
                do throws(SessionError) {
                    let isHeld = try unreachable.holdsLock
                    // Between its lock and its socket a session is only about to be reachable.
                    if !isHeld || changing.hasPassed {
                        if var outcome = try unreachable.stop(timeout: timeout) {
                            outcome.wasRunning = outcome.wasRunning || wasReached
                            return outcome
                        }
                        continue
                    }
                } catch {
                    throw Failure(error)
                }
                RunningSession.pause()
            }
        }
    }

    private enum Asked {
        case asked(SessionClient)
        case failed(SessionClient.Failure)
    }

    private func ask(_ directory: SessionDirectory, _ reason: DisconnectReason) -> Asked {
        do throws(SessionClient.Failure) {
            let client = try SessionClient(directory)
            try client.send(.stop(reason))
            try client.send(.subscribe)
            return .asked(client)
        } catch {
            return .failed(error)
        }
    }

    /// Waits for the end; `nil` when the host has gone meanwhile and is to be looked for anew.
    private func awaitEnd(
        _ client: SessionClient,
        _ directory: SessionDirectory,
        _ reason: DisconnectReason,
        _ progress: WaitProgress,
        _ timeout: Int64,
        _ waits: Bool
    ) throws(Failure) -> StopOutcome? {
        var deadline = Deadline.after(milliseconds: min(Self.acknowledgeMilliseconds, timeout))
        var hasBegun = false
        while true {
            switch client.receive(until: .first(deadline, progress.nextLook)) {
            case .reply(.ended(_, let forced)):
                return StopOutcome(wasRunning: true, forced: forced, cameToItsEnd: true)
            case .reply(.transition(let transition)):
                guard transition.status == .disconnecting, !hasBegun else { continue }
                hasBegun = true
                guard waits else { return StopOutcome(wasRunning: true, forced: false) }
                deadline = .after(milliseconds: timeout)
            case .reply(.refused(let text)):
                throw Failure(.notPossible, "sessionHostForbidden", text, hint: "run as root")
            case .reply(.status), .reply(.paused), .reply(.told), .reply(.reloaded),
                .reply(.restartNeeded):
                continue
            case .closed: return nil
            case .timedOut:
                guard deadline.hasPassed else {
                    progress.tell(.disconnecting, nil)
                    continue
                }
                try kill(client, directory, reason)
                return StopOutcome(wasRunning: true, forced: true)
            }
        }
    }

    private func kill(
        _ client: SessionClient,
        _ directory: SessionDirectory,
        _ reason: DisconnectReason
    ) throws(Failure) {
        do throws(SystemError) {
            let host = try OtherProcess(pid: try client.hostPID())
            try host.signal(SIGKILL)
            _ = try LineClient.wait(
                for: [(host.descriptor.raw, .readable)],
                until: .after(milliseconds: Self.killMilliseconds))
        } catch {
            throw Failure(error)
        }
        do throws(SessionError) {
            let leftovers = Leftovers(context.layout)
            // Its provider goes with it; what that may have left is deleted by its mark.
            _ = try leftovers.deleteInterface(of: directory.identifier)
            _ = try leftovers.repair(directory.identifier, recording: reason)
        } catch {
            throw Failure(error)
        }
    }
}

extension Context {
    /// Tells of a block that is to be there always and so has outlived a stop; one that is no
    /// longer saved so was.
    func noteKeptBlock(_ outcome: StopOutcome, of name: String, isSaved: Bool) {
        guard outcome.block == .kept else { return }
        output.note(
            "\(name): this host stays blocked (routing.lockdown \(isSaved ? "is" : "was") always);"
                + " utunctl unblock \(name) lifts it")
    }
}
