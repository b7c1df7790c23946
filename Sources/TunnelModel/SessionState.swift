/// The life of one session, as a pure reducer: events in, effects out.
///
///     idle ──start──▶ resolving ──▶ launching ──▶ configuring ──settings applied──▶ settled
///      │                  ▲ │           │              │                              │
///      │                  │ │           │              │                 connected, read back
///      │ without provider │ │           │              │                              ▼
///      ▼                  │ │           │              │        reasserting ◀──▶ connected
///  preparing ──▶ waiting ─┘ │           │              ▼              │            │   │
///      │            ▲ │     │           │          stopping ◀─────────┴────────────┼───┘
///      │     dozing ┘ │     │           │              │ the provider has ended    │
///      │       ▲ │    │     │           │              │                           │
///      │       │ └────│─────│───────────│──▶ stopping  │                           │
///      │       └──────│─────│───────────│──────────────│──────────idle─────────────┘
///      ▼              ▼     ▼           ▼              │
///                         tearingDown ◀────────────────┘
///                              │ nothing of ours is left
///                              ▼
///                            ended
///
/// A session that waits for traffic has its settings in force without a provider, and goes back
/// to that when its tunnel is idle; what comes while that provider ends wakes the next one.
///
/// Whatever ends a session, be it a stop, a failure, a time-out, a crash of the provider or
/// the loss of its interface, goes through `tearingDown`: there is no second way out. The
/// provider counts as `connected` only when its settings have been applied and read back
/// from the kernel; an earlier claim is noted and not believed.
package enum SessionState: Equatable, Sendable {
    case idle
    case preparing(isWanted: Bool)
    /// After a provider that was ended for want of traffic, `idle` tells of that.
    case waiting(idle: String?)
    case dozing(idle: String, SessionDeadline, isWanted: Bool)
    case resolving
    case launching
    case configuring
    case settled
    case connected
    case reasserting(reason: String)
    case stopping(DisconnectReason, SessionDeadline)
    case tearingDown(DisconnectReason)
    case ended(DisconnectReason)

    /// Goes on by one event; the effects are to be carried out in their order.
    package mutating func handle(_ event: SessionEvent) -> [SessionEffect] {
        switch self {
        case .idle: handleIdle(event)
        case .preparing(let isWanted): handlePreparing(event, isWanted)
        case .waiting: handleWaiting(event)
        case .dozing(let idle, let stage, let isWanted):
            handleDozing(event, idle, stage, isWanted)
        case .resolving: handleResolving(event)
        case .launching: handleLaunching(event)
        case .configuring: handleConfiguring(event)
        case .settled: handleSettled(event)
        case .connected: handleConnected(event)
        case .reasserting: handleReasserting(event)
        case .stopping(let reason, let stage): handleStopping(event, reason, stage)
        case .tearingDown(let reason): handleTearingDown(event, reason)
        case .ended: []
        }
    }

    /// What the world is told of the state.
    package var status: TunnelStatus {
        switch self {
        case .idle, .ended: .disconnected
        case .preparing, .resolving, .launching, .configuring, .settled: .connecting
        // What comes meanwhile is carried, by the next provider.
        case .waiting, .dozing: .waiting
        case .connected: .connected
        case .reasserting: .reasserting
        case .stopping, .tearingDown: .disconnecting
        }
    }

    private mutating func handleIdle(_ event: SessionEvent) -> [SessionEffect] {
        switch event {
        case .start:
            self = .resolving
            return [.armDeadline(.start), .publish, .resolveNames]
        case .startWaiting:
            self = .preparing(isWanted: false)
            return [.armDeadline(.start), .publish, .anticipateSettings]
        case .stopRequested(let reason):
            return tearDown(reason)
        case .anticipated, .anticipationFailed, .woken, .idled, .namesResolved, .resolutionFailed,
            .providerLaunched, .launchFailed, .settingsAsked,
            .settingsApplied, .settingsRejected, .providerConnected, .kernelConfirmed,
            .kernelDiffers, .providerReasserting, .providerFailed, .providerStopped,
            .providerExited, .protocolViolated, .interfaceRemoved, .deadlinePassed, .tornDown:
            return []
        }
    }

    private mutating func handleResolving(_ event: SessionEvent) -> [SessionEffect] {
        switch event {
        case .namesResolved:
            self = .launching
            return [.launchProvider]
        case .resolutionFailed(let text):
            return tearDown(DisconnectReason(.serverAddressResolution, text))
        case .stopRequested(let reason): return tearDown(reason)
        case .interfaceRemoved: return tearDown(.interfaceRemoved)
        case .deadlinePassed(.start): return tearDown(.startTimedOut("names were not resolved"))
        case .start, .startWaiting, .anticipated, .anticipationFailed, .woken, .idled,
            .providerLaunched, .launchFailed, .settingsAsked, .settingsApplied,
            .settingsRejected, .providerConnected, .kernelConfirmed, .kernelDiffers,
            .providerReasserting, .providerFailed, .providerStopped, .providerExited,
            .protocolViolated, .deadlinePassed, .tornDown:
            return []
        }
    }

    private mutating func handleLaunching(_ event: SessionEvent) -> [SessionEffect] {
        switch event {
        case .providerLaunched:
            self = .configuring
            return [.sendStart]
        case .launchFailed(let reason): return tearDown(reason)
        case .stopRequested(let reason): return tearDown(reason)
        case .interfaceRemoved: return tearDown(.interfaceRemoved)
        case .deadlinePassed(.start): return tearDown(.startTimedOut("the provider did not start"))
        case .start, .startWaiting, .anticipated, .anticipationFailed, .woken, .idled,
            .namesResolved, .resolutionFailed, .settingsAsked, .settingsApplied,
            .settingsRejected, .providerConnected, .kernelConfirmed, .kernelDiffers,
            .providerReasserting, .providerFailed, .providerStopped, .providerExited,
            .protocolViolated, .deadlinePassed, .tornDown:
            return []
        }
    }

    private mutating func handleConfiguring(_ event: SessionEvent) -> [SessionEffect] {
        switch event {
        case .settingsAsked(let id): return [.applySettings(id: id)]
        case .settingsApplied(let id):
            self = .settled
            return [.acknowledgeSettings(id: id)]
        case .settingsRejected(let id, let text):
            return [.refuseSettings(id: id)]
                + stop(DisconnectReason(.networkSettingsRejected, text))
        case .providerConnected: return [.noteEarlyClaim]
        case .deadlinePassed(.start):
            return stop(.startTimedOut("the provider asked for no settings"))
        case .start, .startWaiting, .anticipated, .anticipationFailed, .woken, .idled,
            .namesResolved, .resolutionFailed, .providerLaunched, .launchFailed,
            .kernelConfirmed, .kernelDiffers, .providerReasserting, .deadlinePassed, .tornDown:
            return []
        case .stopRequested, .interfaceRemoved, .providerFailed, .providerStopped,
            .providerExited, .protocolViolated:
            return end(event)
        }
    }

    private mutating func handleSettled(_ event: SessionEvent) -> [SessionEffect] {
        switch event {
        case .settingsAsked(let id): return [.applySettings(id: id)]
        case .settingsApplied(let id): return [.acknowledgeSettings(id: id)]
        case .settingsRejected(let id, let text):
            return [.refuseSettings(id: id)]
                + stop(DisconnectReason(.networkSettingsRejected, text))
        case .providerConnected: return [.readBack]
        case .kernelConfirmed:
            self = .connected
            return [.clearDeadline, .publish]
        case .kernelDiffers(let text): return stop(DisconnectReason(.internalError, text))
        case .deadlinePassed(.start):
            return stop(.startTimedOut("the provider did not report a connection"))
        case .start, .startWaiting, .anticipated, .anticipationFailed, .woken, .idled,
            .namesResolved, .resolutionFailed, .providerLaunched, .launchFailed,
            .providerReasserting, .deadlinePassed, .tornDown:
            return []
        case .stopRequested, .interfaceRemoved, .providerFailed, .providerStopped,
            .providerExited, .protocolViolated:
            return end(event)
        }
    }

    private mutating func handleConnected(_ event: SessionEvent) -> [SessionEffect] {
        switch event {
        case .settingsAsked(let id): return [.applySettings(id: id)]
        case .settingsApplied(let id): return [.acknowledgeSettings(id: id)]
        case .settingsRejected(let id, _): return [.refuseSettings(id: id)]
        case .providerReasserting(let reason):
            self = .reasserting(reason: reason)
            return [.publish]
        case .idled(let text):
            self = .dozing(idle: text, .stop, isWanted: false)
            return [.sendStop(.idle), .armDeadline(.stop), .publish]
        case .start, .startWaiting, .anticipated, .anticipationFailed, .woken, .namesResolved,
            .resolutionFailed, .providerLaunched, .launchFailed,
            .providerConnected, .kernelConfirmed, .kernelDiffers, .deadlinePassed, .tornDown:
            return []
        case .stopRequested, .interfaceRemoved, .providerFailed, .providerStopped,
            .providerExited, .protocolViolated:
            return end(event)
        }
    }

    private mutating func handleReasserting(_ event: SessionEvent) -> [SessionEffect] {
        switch event {
        case .settingsAsked(let id): return [.applySettings(id: id)]
        case .settingsApplied(let id): return [.acknowledgeSettings(id: id)]
        case .settingsRejected(let id, _): return [.refuseSettings(id: id)]
        case .providerConnected: return [.readBack]
        case .kernelConfirmed:
            self = .connected
            return [.publish]
        case .kernelDiffers(let text): return stop(DisconnectReason(.internalError, text))
        case .providerReasserting(let reason):
            self = .reasserting(reason: reason)
            return [.publish]
        case .start, .startWaiting, .anticipated, .anticipationFailed, .woken, .idled,
            .namesResolved, .resolutionFailed, .providerLaunched, .launchFailed,
            .deadlinePassed, .tornDown:
            return []
        case .stopRequested, .interfaceRemoved, .providerFailed, .providerStopped,
            .providerExited, .protocolViolated:
            return end(event)
        }
    }

    private mutating func handleStopping(
        _ event: SessionEvent,
        _ reason: DisconnectReason,
        _ stage: SessionDeadline
    ) -> [SessionEffect] {
        switch event {
        case .providerExited: return tearDown(reason)
        case .providerStopped, .providerFailed:
            // It has said that it is done: what is left is that its process ends.
            guard stage == .stop else { return [] }
            self = .stopping(reason, .exit)
            return [.armDeadline(.exit)]
        case .protocolViolated: return stage == .kill ? [] : kill(reason)
        case .deadlinePassed(let passed) where passed == stage:
            switch stage {
            case .start, .kill: return []
            case .exit: return kill(reason)
            case .stop:
                self = .stopping(reason, .exit)
                return [.signalProvider(.terminate), .armDeadline(.exit)]
            }
        case .start, .startWaiting, .anticipated, .anticipationFailed, .woken, .idled,
            .namesResolved, .resolutionFailed, .providerLaunched, .launchFailed,
            .settingsAsked, .settingsApplied, .settingsRejected, .providerConnected,
            .kernelConfirmed, .kernelDiffers, .providerReasserting, .stopRequested,
            .interfaceRemoved, .deadlinePassed, .tornDown:
            return []
        }
    }

    private mutating func handleTearingDown(_ event: SessionEvent, _ reason: DisconnectReason)
        -> [SessionEffect]
    {
        switch event {
        case .tornDown:
            self = .ended(reason)
            return [.publish, .finish]
        case .start, .startWaiting, .anticipated, .anticipationFailed, .woken, .idled,
            .namesResolved, .resolutionFailed, .providerLaunched, .launchFailed,
            .settingsAsked, .settingsApplied, .settingsRejected, .providerConnected,
            .kernelConfirmed, .kernelDiffers, .providerReasserting, .providerFailed,
            .providerStopped, .providerExited, .protocolViolated, .stopRequested,
            .interfaceRemoved, .deadlinePassed:
            return []
        }
    }

    /// The ends that are the same in every state in which a provider runs.
    private mutating func end(_ event: SessionEvent) -> [SessionEffect] {
        switch event {
        case .stopRequested(let reason): return stop(reason)
        case .interfaceRemoved: return stop(.interfaceRemoved)
        case .providerFailed(let reason):
            self = .stopping(reason, .exit)
            return [.armDeadline(.exit), .publish]
        case .providerStopped:
            self = .stopping(
                DisconnectReason(.providerCrashed, "the provider stopped unasked"), .exit)
            return [.armDeadline(.exit), .publish]
        case .providerExited(let text):
            return tearDown(DisconnectReason(.providerCrashed, text))
        case .protocolViolated(let text):
            return kill(DisconnectReason(.providerProtocolError, text)) + [.publish]
        default: return []
        }
    }

    private mutating func stop(_ reason: DisconnectReason) -> [SessionEffect] {
        self = .stopping(reason, .stop)
        return [.sendStop(reason.code), .armDeadline(.stop), .publish]
    }

    private mutating func kill(_ reason: DisconnectReason) -> [SessionEffect] {
        self = .stopping(reason, .kill)
        return [.clearDeadline, .signalProvider(.kill)]
    }

    mutating func tearDown(_ reason: DisconnectReason) -> [SessionEffect] {
        self = .tearingDown(reason)
        return [.clearDeadline, .publish, .tearDown]
    }
}

extension DisconnectReason {
    static let interfaceRemoved = DisconnectReason(
        .interfaceRemoved, "the interface was deleted by someone else")

    static func startTimedOut(_ text: String) -> DisconnectReason {
        DisconnectReason(.startTimedOut, text)
    }
}
