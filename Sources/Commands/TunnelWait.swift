internal import Glibc
internal import LinuxSystem
internal import SessionHost
internal import TunnelModel

/// SIGINT and SIGTERM as something that ends a wait, and nothing else.
struct Interruption: ~Copyable {
    fileprivate let signals: SignalDescriptor

    init() throws(Failure) {
        do { signals = try SignalDescriptor([SIGINT, SIGTERM]) } catch { throw Failure(error) }
    }

    fileprivate var raw: CInt { signals.descriptor.raw }

    /// The exit status for the signal that came.
    fileprivate func status() -> ExitStatus {
        (try? signals.next()) == SIGTERM ? .terminated : .interrupted
    }
}

/// Waits for what becomes of one attempt to connect.
struct TunnelWait {
    /// What became of it.
    enum Outcome {
        case connected
        case ended(DisconnectReason)
        case timedOut(TunnelStatus)
        case interrupted(ExitStatus)
    }

    private let directory: SessionDirectory
    private let attempt: String

    init(_ directory: SessionDirectory, attempt: String) {
        self.directory = directory
        self.attempt = attempt
    }

    /// Waits until the tunnel is connected or has ended.
    func untilConnected(_ deadline: Deadline, _ interruption: borrowing Interruption) -> Outcome {
        let client: SessionClient
        do throws(SessionClient.Failure) {
            client = try SessionClient(directory)
            try client.send(.subscribe)
        } catch {
            return recordedEnd
        }
        var status = TunnelStatus.connecting
        while true {
            switch client.receiveIfReady() {
            case .reply(.transition(let transition))?:
                status = transition.status
                continue
            case .reply(.ended(let disconnect, _))?: return .ended(disconnect.reason)
            case .reply?: continue
            case .closed?: return recordedEnd
            case nil, .timedOut?: break
            }
            // Only the last of all transitions counts: what was connected may have failed since.
            if status == .connected { return .connected }
            let ready = try? LineClient.wait(
                for: [(client.raw, .readable), (interruption.raw, .readable)], until: deadline)
            guard let ready, !ready.isEmpty else { return .timedOut(status) }
            if ready.contains(interruption.raw) { return .interrupted(interruption.status()) }
        }
    }

    /// A host that is gone has noted its end, or has crashed.
    private var recordedEnd: Outcome {
        guard let record = directory.record(), record.attempt == attempt else {
            return .ended(
                DisconnectReason(.sessionHostCrashed, "the session host left no record"))
        }
        return .ended(record.lastDisconnect.reason)
    }
}
