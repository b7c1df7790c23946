internal import LinuxSystem
internal import SessionHost
internal import TunnelModel

/// Waits for what becomes of one attempt to connect.
struct TunnelWait {
    /// What became of it.
    enum Outcome {
        /// The client hears what comes after, without a gap.
        case connected(SessionClient)
        case ended(DisconnectReason)
        case timedOut(TunnelStatus)
        case interrupted(signal: Int32)
    }

    private let directory: SessionDirectory
    private let attempt: String

    init(_ directory: SessionDirectory, attempt: String) {
        self.directory = directory
        self.attempt = attempt
    }

    /// Waits until the tunnel is connected or has ended.
    func untilConnected(
        _ deadline: Deadline,
        _ interruption: borrowing Interruption,
        _ progress: WaitProgress
    ) -> Outcome {
        defer { progress.end() }
        let client: SessionClient
        do throws(SessionClient.Failure) {
            client = try SessionClient(directory)
            try client.send(.subscribe)
        } catch {
            return recordedEnd
        }
        var status = TunnelStatus.connecting
        var reason: String?
        while true {
            switch client.receiveIfReady() {
            case .reply(.transition(let transition))?:
                (status, reason) = (transition.status, transition.reason)
                continue
            case .reply(.ended(let disconnect, _))?: return .ended(disconnect.reason)
            case .reply?: continue
            case .closed?: return recordedEnd
            case nil, .timedOut?: break
            }
            // Only the last of all transitions counts: what was connected may have failed since.
            if status == .connected { return .connected(client) }
            if deadline.hasPassed { return .timedOut(status) }
            progress.tell(status, reason)
            let ready = try? LineClient.wait(
                for: [(client.raw, .readable), (interruption.raw, .readable)],
                until: .first(deadline, progress.nextLook))
            guard let ready else { return .timedOut(status) }
            if ready.contains(interruption.raw), let next = interruption.next() {
                return .interrupted(signal: next.signal)
            }
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
