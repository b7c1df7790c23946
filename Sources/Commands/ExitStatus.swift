/// How the program ends; part of the contract.
package enum ExitStatus: Int32, CaseIterable, Sendable {
    case done = 0
    /// A failure that has no status of its own.
    case failure = 1
    case usage = 2
    /// Not connected: disconnected or invalid.
    case notConnected = 3
    case noSuchConfiguration = 4
    /// Connecting, reasserting, disconnecting, unknown, or connected but degraded.
    case between = 5
    /// The tunnel failed while somebody waited for it.
    case tunnelFailed = 6
    /// Refused for what is saved or installed.
    case refused = 7
    /// The generation asked for is not the saved one.
    case stale = 8
    /// Nothing is known to have failed.
    case timedOut = 9
    /// Not permitted or not possible here.
    case notPossible = 10
    case preferencesCorrupt = 11
    /// Something else runs or holds what is needed.
    case conflict = 12
    /// The tunnel failed, and no further try mends that.
    case failedForGood = 13
    /// The command of `run` cannot be run.
    case commandUnusable = 126
    /// The command of `run` is not there.
    case commandMissing = 127
    case interrupted = 130
    case terminated = 143

    /// What the status means, on one line.
    package var meaning: String {
        switch self {
        case .done: "done; status of a tunnel: connected, and nothing less"
        case .failure: "a failure that has no status of its own; doctor: a problem was found"
        case .usage: "usage: unknown verb or option, malformed command line"
        case .notConnected: "status, wait: not connected, disconnected or invalid"
        case .noSuchConfiguration: "no such configuration"
        case .between:
            "neither: connecting, reasserting, disconnecting, unknown, or connected but degraded"
        case .tunnelFailed: "the tunnel failed while it was waited for"
        case .refused:
            "refused: configuration invalid or disabled, provider not installed, trust or "
                + "credential missing, key not enforced"
        case .stale: "stale: the generation asked for is not the saved one"
        case .timedOut: "timed out, and nothing is known to have failed"
        case .notPossible:
            "not permitted or not possible here: capability, /dev/net/tun, file modes, "
                + "read-only file system"
        case .preferencesCorrupt: "the preferences are corrupt, or of a newer utunctl"
        case .conflict:
            "conflict: what runs would need a restart for what is saved, or something else "
                + "holds what is needed"
        case .failedForGood:
            "start --foreground: the tunnel failed in authentication or trust, which no further "
                + "try mends, or On Demand has the next try"
        case .commandUnusable: "run: the command cannot be run; nothing was started"
        case .commandMissing: "run: there is no such command; nothing was started"
        case .interrupted: "interrupted while waiting, which ends the wait alone"
        case .terminated: "terminated while waiting, which ends the wait alone"
        }
    }
}
