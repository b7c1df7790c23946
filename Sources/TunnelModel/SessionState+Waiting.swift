// The states of a session without a provider.

extension SessionState {
    mutating func handlePreparing(_ event: SessionEvent, _ isWanted: Bool) -> [SessionEffect] {
        switch event {
        case .anticipated:
            if isWanted { return connect() }
            self = .waiting(idle: nil)
            return [.clearDeadline, .publish, .watchTraffic]
        case .anticipationFailed(let reason): return tearDown(reason)
        case .woken:
            self = .preparing(isWanted: true)
            return []
        case .stopRequested(let reason): return tearDown(reason)
        case .interfaceRemoved: return tearDown(.interfaceRemoved)
        case .deadlinePassed(.start):
            return tearDown(.startTimedOut("its settings did not come into force"))
        case .start, .startWaiting, .idled, .namesResolved, .resolutionFailed, .providerLaunched,
            .launchFailed, .settingsAsked, .settingsApplied, .settingsRejected,
            .providerConnected, .kernelConfirmed, .kernelDiffers, .providerReasserting,
            .providerFailed, .providerStopped, .providerExited, .protocolViolated,
            .deadlinePassed, .tornDown:
            return []
        }
    }

    mutating func handleWaiting(_ event: SessionEvent) -> [SessionEffect] {
        switch event {
        case .woken: return [.unwatchTraffic] + connect()
        case .stopRequested(let reason): return [.unwatchTraffic] + tearDown(reason)
        case .interfaceRemoved: return [.unwatchTraffic] + tearDown(.interfaceRemoved)
        case .start, .startWaiting, .anticipated, .anticipationFailed, .idled, .namesResolved,
            .resolutionFailed, .providerLaunched, .launchFailed, .settingsAsked,
            .settingsApplied, .settingsRejected, .providerConnected, .kernelConfirmed,
            .kernelDiffers, .providerReasserting, .providerFailed, .providerStopped,
            .providerExited, .protocolViolated, .deadlinePassed, .tornDown:
            return []
        }
    }

    mutating func handleDozing(
        _ event: SessionEvent,
        _ idle: String,
        _ stage: SessionDeadline,
        _ isWanted: Bool
    ) -> [SessionEffect] {
        switch event {
        case .providerExited:
            if isWanted { return [.forgetProvider(idle: idle)] + connect() }
            self = .waiting(idle: idle)
            return [.clearDeadline, .forgetProvider(idle: idle), .publish, .watchTraffic]
        case .providerStopped, .providerFailed:
            guard stage == .stop else { return [] }
            self = .dozing(idle: idle, .exit, isWanted: isWanted)
            return [.armDeadline(.exit)]
        case .protocolViolated:
            return stage == .kill ? [] : killDozing(idle, isWanted)
        case .deadlinePassed(let passed) where passed == stage:
            switch stage {
            case .start, .kill: return []
            case .exit: return killDozing(idle, isWanted)
            case .stop:
                self = .dozing(idle: idle, .exit, isWanted: isWanted)
                return [.signalProvider(.terminate), .armDeadline(.exit)]
            }
        case .woken:
            self = .dozing(idle: idle, stage, isWanted: true)
            return []
        // Its provider is on its way out already.
        case .stopRequested(let reason):
            self = .stopping(reason, stage)
            return [.publish]
        case .interfaceRemoved:
            self = .stopping(.interfaceRemoved, stage)
            return [.publish]
        case .start, .startWaiting, .anticipated, .anticipationFailed, .idled, .namesResolved,
            .resolutionFailed, .providerLaunched, .launchFailed, .settingsAsked,
            .settingsApplied, .settingsRejected, .providerConnected, .kernelConfirmed,
            .kernelDiffers, .providerReasserting, .deadlinePassed, .tornDown:
            return []
        }
    }

    private mutating func connect() -> [SessionEffect] {
        self = .resolving
        return [.armDeadline(.start), .publish, .resolveNames]
    }

    private mutating func killDozing(_ idle: String, _ isWanted: Bool) -> [SessionEffect] {
        self = .dozing(idle: idle, .kill, isWanted: isWanted)
        return [.clearDeadline, .signalProvider(.kill)]
    }
}
