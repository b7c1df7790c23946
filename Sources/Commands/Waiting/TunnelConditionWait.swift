internal import KernelNetwork
internal import LinuxSystem
internal import Preferences
internal import SessionHost
internal import TunnelModel

/// Waits for one condition of one tunnel.
///
/// The session tells of its status, the runtime directory of sessions that begin, and the kernel
/// of addresses; only what nobody tells of is looked for again and again.
final class TunnelConditionWait {
    /// What became of the wait.
    enum Outcome {
        case met(TunnelStatus)
        case ended(DisconnectReason)
        case timedOut(TunnelStatus)
        case interrupted(signal: Int32)
    }

    /// How soon to look again for what should be told at once, and was not.
    private static let againMilliseconds: Int64 = 200

    private let context: Context
    private let target: TunnelTarget
    private let condition: WaitCondition
    private let session: FollowedSession
    private let directories: DirectoryWatch
    private var addresses: AddressWatch?
    private var received = ReceivedSince()

    init(_ context: Context, _ target: TunnelTarget, _ condition: WaitCondition) throws(Failure) {
        self.context = context
        self.target = target
        self.condition = condition
        do throws(SystemError) {
            directories = try DirectoryWatch()
            try directories.addWithParents(context.layout.runtimeDirectory)
        } catch {
            throw Failure(error)
        }
        session = try FollowedSession(context.directory(of: target.identifier))
        if condition == .traffic { _ = received.hasGrown(try link()) }
    }

    /// Waits until it is so, or a session that was waited for has failed.
    func run(
        _ deadline: Deadline,
        _ interruption: borrowing Interruption,
        _ progress: WaitProgress
    ) throws(Failure) -> Outcome {
        defer { progress.end() }
        while true {
            try session.update()
            if let end = session.takeEnd(), condition != .disconnected { return .ended(end) }
            if try isMet() { return .met(session.state.status) }
            if deadline.hasPassed { return .timedOut(session.state.status) }
            if session.state != .changing {
                progress.tell(session.state.status, session.state.reason)
            }
            let events = [
                interruption.raw, directories.descriptor.raw, session.descriptor,
                addresses?.descriptor,
            ]
            let ready: [CInt]
            do throws(SystemError) {
                ready = try LineClient.wait(
                    for: events.compactMap { $0 }.map { ($0, .readable) },
                    until: .first(deadline, .first(progress.nextLook, nextLook)))
                if ready.contains(directories.descriptor.raw) {
                    directories.drain()
                    try directories.addWithParents(context.layout.runtimeDirectory)
                }
            } catch {
                throw Failure(error)
            }
            if ready.contains(interruption.raw), let next = interruption.next() {
                return .interrupted(signal: next.signal)
            }
        }
    }

    /// When to look again although nothing has told of a change.
    private var nextLook: Deadline {
        switch session.state {
        case .changing where session.descriptor == nil:
            .after(milliseconds: FollowedSession.changingMilliseconds)
        // What is left of it is an interface that cannot be asked about.
        case .none where condition == .disconnected: .after(milliseconds: Self.againMilliseconds)
        // Its session was silent for a moment.
        case .running(.connected, _) where condition == .address && addresses == nil:
            .after(milliseconds: Self.againMilliseconds)
        case .running(.connected, _):
            condition.lookMilliseconds.map { .after(milliseconds: $0) } ?? .never
        case .none, .changing, .running: .never
        }
    }

    private func isMet() throws(Failure) -> Bool {
        guard condition != .disconnected else {
            guard session.state == .none else { return false }
            return try !interfaceIsHeld()
        }
        // Read also before it counts: what comes until then has come since the wait began.
        let hasReceived = condition == .traffic ? received.hasGrown(try link()) : false
        guard case .running(.connected, _) = session.state else {
            addresses = nil
            return false
        }
        switch condition {
        case .connected, .disconnected: return true
        case .traffic: return hasReceived
        case .handshake: return report()?.hasProof ?? false
        case .address:
            if addresses == nil, let report = report() {
                addresses = try AddressWatch.of(report)
            }
            return try addresses?.areUsable() ?? false
        }
    }

    /// A session without its files still holds its interface.
    private func interfaceIsHeld() throws(Failure) -> Bool {
        do throws(SessionError) {
            return try Leftovers(context.layout).interface(of: target.identifier)?.isHeld ?? false
        } catch {
            throw Failure(error)
        }
    }

    /// What the session says of itself; one that is silent for a moment is asked again.
    private func report() -> SessionReport? {
        let found = try? RunningSession.find(context.directory(of: target.identifier))
        if case .running(let report)? = found { return report }
        return nil
    }

    /// The interface, as the kernel shows it here, or else as the session host sees it.
    private func link() throws(Failure) -> KernelReading.Link? {
        let namespace = context.directory(of: target.identifier).record()?.networkNamespace
        guard namespace.map({ $0 == currentNetworkNamespace }) ?? true else {
            return report()?.kernel?.link
        }
        do throws(NetlinkError) {
            let link = try KernelReader(context.layout).markedLinks()[target.identifier]
            return link.map { KernelReading.Link($0) }
        } catch {
            throw Failure(error)
        }
    }
}
