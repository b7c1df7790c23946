import TunnelModel

/// The states of a session, without what they carry.
enum StateKind: CaseIterable {
    case idle, resolving, launching, configuring, settled, connected, reasserting
    case stoppingStart, stoppingStop, stoppingExit, stoppingKill
    case tearingDown, ended
    case preparing, waiting, dozingStart, dozingStop, dozingExit, dozingKill
}

/// The events of a session, without what they carry.
enum EventKind: CaseIterable {
    case start, namesResolved, resolutionFailed, providerLaunched, launchFailed
    case settingsAsked, settingsApplied, settingsRejected, providerConnected
    case kernelConfirmed, kernelDiffers, providerReasserting, providerFailed
    case providerStopped, providerExited, protocolViolated, stopRequested
    case interfaceRemoved
    case startDeadline, stopDeadline, exitDeadline, killDeadline
    case tornDown
    case startWaiting, anticipated, anticipationFailed, woken, idled
}

extension SessionState {
    /// Exhaustive, so that a new state does not compile until it has its row.
    var kind: StateKind {
        switch self {
        case .idle: .idle
        case .resolving: .resolving
        case .launching: .launching
        case .configuring: .configuring
        case .settled: .settled
        case .connected: .connected
        case .reasserting: .reasserting
        case .stopping(_, .start): .stoppingStart
        case .stopping(_, .stop): .stoppingStop
        case .stopping(_, .exit): .stoppingExit
        case .stopping(_, .kill): .stoppingKill
        case .tearingDown: .tearingDown
        case .ended: .ended
        case .preparing: .preparing
        case .waiting: .waiting
        case .dozing(_, .start, _): .dozingStart
        case .dozing(_, .stop, _): .dozingStop
        case .dozing(_, .exit, _): .dozingExit
        case .dozing(_, .kill, _): .dozingKill
        }
    }
}

extension SessionEvent {
    /// Exhaustive, so that a new event does not compile until it has its column.
    var kind: EventKind {
        switch self {
        case .start: .start
        case .namesResolved: .namesResolved
        case .resolutionFailed: .resolutionFailed
        case .providerLaunched: .providerLaunched
        case .launchFailed: .launchFailed
        case .settingsAsked: .settingsAsked
        case .settingsApplied: .settingsApplied
        case .settingsRejected: .settingsRejected
        case .providerConnected: .providerConnected
        case .kernelConfirmed: .kernelConfirmed
        case .kernelDiffers: .kernelDiffers
        case .providerReasserting: .providerReasserting
        case .providerFailed: .providerFailed
        case .providerStopped: .providerStopped
        case .providerExited: .providerExited
        case .protocolViolated: .protocolViolated
        case .stopRequested: .stopRequested
        case .interfaceRemoved: .interfaceRemoved
        case .deadlinePassed(.start): .startDeadline
        case .deadlinePassed(.stop): .stopDeadline
        case .deadlinePassed(.exit): .exitDeadline
        case .deadlinePassed(.kill): .killDeadline
        case .tornDown: .tornDown
        case .startWaiting: .startWaiting
        case .anticipated: .anticipated
        case .anticipationFailed: .anticipationFailed
        case .woken: .woken
        case .idled: .idled
        }
    }

    /// One event of each kind.
    static let samples: [SessionEvent] = [
        .start, .namesResolved, .resolutionFailed("no such name"), .providerLaunched,
        .launchFailed(Reasons.launch), .settingsAsked(id: 1), .settingsApplied(id: 1),
        .settingsRejected(id: 1, text: "too wide"), .providerConnected, .kernelConfirmed,
        .kernelDiffers("route missing"), .providerReasserting("silence"),
        .providerFailed(Reasons.failure), .providerStopped, .providerExited("signal 9"),
        .protocolViolated("not JSON"), .stopRequested(Reasons.stop), .interfaceRemoved,
        .deadlinePassed(.start), .deadlinePassed(.stop), .deadlinePassed(.exit),
        .deadlinePassed(.kill), .tornDown,
        .startWaiting, .anticipated, .anticipationFailed(Reasons.settings), .woken,
        .idled("quiet"),
    ]
}

/// The reasons that the samples and the table speak of.
enum Reasons {
    static let stop = DisconnectReason(.stoppedByUser, "by uid 0")
    static let failure = DisconnectReason(.authenticationFailed, "wrong key")
    static let launch = DisconnectReason(.providerNotInstalled, "not there")
    static let resolution = DisconnectReason(.serverAddressResolution, "no such name")
    static let crash = DisconnectReason(.providerCrashed, "signal 9")
    static let unasked = DisconnectReason(.providerCrashed, "the provider stopped unasked")
    static let violation = DisconnectReason(.providerProtocolError, "not JSON")
    static let settings = DisconnectReason(.networkSettingsRejected, "too wide")
    static let differs = DisconnectReason(.internalError, "route missing")
    static let removed = DisconnectReason(
        .interfaceRemoved, "the interface was deleted by someone else")

    static func timedOut(_ text: String) -> DisconnectReason {
        DisconnectReason(.startTimedOut, text)
    }
}
