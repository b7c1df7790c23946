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
    case interrupted = 130
    case terminated = 143
}
