internal import TunnelModel

/// On whose behalf a tunnel is stopped.
enum StopOrigin: String, CaseIterable {
    /// A person, or a program of theirs.
    case user
    /// A rule of On Demand, which sets no hold.
    case ondemand
    /// The unit of the tunnel, which ends.
    case systemd

    /// The same among those of sessions.
    var session: SessionOrigin {
        switch self {
        case .user: .user
        case .ondemand: .ondemand
        case .systemd: .systemd
        }
    }

    /// What `stop --origin` was given.
    init(_ invocation: Invocation) throws(Failure) {
        guard let text = invocation.value("origin") else {
            self = .user
            return
        }
        guard let origin = StopOrigin(rawValue: text) else {
            let choices = Self.allCases.map(\.rawValue).joined(separator: ", ")
            throw Failure(
                UsageError("--origin: \(text.shownInMessage) is not one of \(choices)"))
        }
        self = origin
    }

    /// Why the unit of a tunnel ends: whoever restarts it, or shuts the system down, does not want
    /// the block of a kill switch lifted.
    static func reason(ofUnit unit: String, jobs: [String: String]?) -> DisconnectReason {
        guard let jobs else {
            // Who cannot be asked may be about to restart it.
            return DisconnectReason(.superseded, "its unit ends, and systemd does not say why")
        }
        if jobs["shutdown.target"] == "start" {
            return DisconnectReason(.systemShutdown, "the system shuts down")
        }
        if jobs[unit] == "restart" {
            return DisconnectReason(.superseded, "its unit is restarted")
        }
        return DisconnectReason(.stoppedByUser, "its unit was stopped")
    }
}
