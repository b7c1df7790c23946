internal import LinuxSystem
internal import SessionHost
internal import TunnelModel

/// Follows the session of one configuration, be it there or yet to come.
final class FollowedSession {
    /// What is known of it.
    enum State: Equatable {
        case none
        /// It holds its lock, and has not told anything yet, or no longer does.
        case changing
        case running(TunnelStatus, reason: String?)

        /// The status that it has.
        var status: TunnelStatus {
            switch self {
            case .none: .disconnected
            case .changing: .unknown
            case .running(let status, _): status
            }
        }

        /// What the session says of it.
        var reason: String? {
            if case .running(_, let reason) = self { reason } else { nil }
        }
    }

    /// How soon to look again where no event tells of a change.
    static let changingMilliseconds: Int64 = 20

    private(set) var state = State.none
    private let directory: SessionDirectory
    private var client: SessionClient?
    /// The session whose end is not to be told: one that was over, or told already.
    private var pastAttempt: String?
    /// Whether it was on its way down before anybody waited.
    private var ignoresEnd = false
    private var end: DisconnectReason?

    init(_ directory: SessionDirectory) throws(Failure) {
        self.directory = directory
        let isHeld: Bool
        do throws(SystemError) { isHeld = try directory.lockIsHeld() } catch {
            throw Failure(error)
        }
        if isHeld, case .ending? = try? RunningSession.find(directory) { ignoresEnd = true }
        if let record = directory.record(), !isHeld || record.end != nil {
            pastAttempt = record.attempt
        }
        try update()
    }

    /// Readable when the session has told something; `nil` while there is none to tell.
    var descriptor: CInt? { client?.raw }

    /// The end of a session that was seen, which is told once.
    func takeEnd() -> DisconnectReason? { end.take() }

    /// Looks what has become of it.
    func update() throws(Failure) {
        if client == nil { try look() }
        while let reply = client?.receiveIfReady() {
            switch reply {
            case .reply(.transition(let transition)):
                state = .running(transition.status, reason: transition.reason)
            case .reply(.ended(let disconnect, _)):
                pastAttempt = disconnect.attempt
                finish(disconnect.reason)
            case .reply(.status), .reply(.paused), .reply(.told): continue
            case .reply(.refused), .closed, .timedOut:
                client = nil
                // What it came to stands in its record.
                try look()
            }
        }
    }

    private func finish(_ reason: DisconnectReason) {
        client = nil
        state = .changing
        // What was restarted goes on, as another session.
        if !ignoresEnd, reason.code != .superseded { end = reason }
        ignoresEnd = false
    }

    private func look() throws(Failure) {
        do throws(SessionClient.Failure) {
            let client = try SessionClient(directory)
            try client.send(.subscribe)
            self.client = client
            state = .changing
        } catch {
            switch error {
            case .forbidden:
                throw Failure(
                    .notPossible, "sessionHostForbidden", "this user may not ask the session host",
                    hint: "run as root, or as a member of the group utunctl")
            case .silent: state = .changing
            case .none, .unreachable: try lookForRemains()
            }
        }
    }

    // A session may come and go between two looks, or go without a word.
    private func lookForRemains() throws(Failure) {
        let isHeld: Bool
        do throws(SystemError) { isHeld = try directory.lockIsHeld() } catch {
            throw Failure(error)
        }
        state = isHeld ? .changing : .none
        guard !isHeld, let record = directory.record(), record.attempt != pastAttempt else {
            return
        }
        pastAttempt = record.attempt
        finish(record.lastDisconnect.reason)
        state = .none
    }
}
