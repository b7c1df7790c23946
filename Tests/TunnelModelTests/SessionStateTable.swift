import TunnelModel

/// What a state makes of each event.
struct StateRow {
    /// What comes of an event that is not ignored.
    struct Outcome: Equatable {
        let state: SessionState
        let effects: [SessionEffect]
    }

    let state: SessionState
    let outcomes: [EventKind: Outcome]
    let ignored: [EventKind]

    init(
        _ state: SessionState,
        _ outcomes: [EventKind: (SessionState, [SessionEffect])],
        ignored: [EventKind]
    ) {
        self.state = state
        self.outcomes = outcomes.mapValues { Outcome(state: $0.0, effects: $0.1) }
        self.ignored = ignored
    }

    private static func tearDown(_ reason: DisconnectReason, first: [SessionEffect] = [])
        -> (SessionState, [SessionEffect])
    {
        (.tearingDown(reason), first + [.clearDeadline, .publish, .tearDown])
    }

    private static func stop(_ reason: DisconnectReason, first: [SessionEffect] = [])
        -> (SessionState, [SessionEffect])
    {
        (
            .stopping(reason, .stop),
            first + [.sendStop(reason.code), .armDeadline(.stop), .publish]
        )
    }

    private static func kill(_ reason: DisconnectReason, then: [SessionEffect] = [])
        -> (SessionState, [SessionEffect])
    {
        (.stopping(reason, .kill), [.clearDeadline, .signalProvider(.kill)] + then)
    }

    private static func awaitExit(_ reason: DisconnectReason) -> (SessionState, [SessionEffect]) {
        (.stopping(reason, .exit), [.armDeadline(.exit), .publish])
    }

    /// The ends that are the same in every state in which a provider runs.
    private static let ends: [EventKind: (SessionState, [SessionEffect])] = [
        .providerFailed: awaitExit(Reasons.failure),
        .providerStopped: awaitExit(Reasons.unasked),
        .providerExited: tearDown(Reasons.crash),
        .protocolViolated: kill(Reasons.violation, then: [.publish]),
        .stopRequested: stop(Reasons.stop),
        .interfaceRemoved: stop(Reasons.removed),
    ]

    private static func running(
        _ state: SessionState,
        _ outcomes: [EventKind: (SessionState, [SessionEffect])],
        ignored: [EventKind]
    ) -> StateRow {
        StateRow(state, outcomes.merging(ends) { own, _ in own }, ignored: ignored)
    }

    /// Nothing but the end of the process, its word or the deadline of the stage counts.
    private static func stopping(
        _ stage: SessionDeadline,
        _ outcomes: [EventKind: (SessionState, [SessionEffect])]
    ) -> StateRow {
        var outcomes = outcomes
        outcomes[.providerExited] = tearDown(Reasons.stop)
        return StateRow(
            .stopping(Reasons.stop, stage), outcomes,
            ignored: EventKind.allCases.filter { outcomes[$0] == nil })
    }

    static let table: [StateRow] = [
        StateRow(
            .idle,
            [
                .start: connecting([]),
                .startWaiting: (
                    .preparing(isWanted: false),
                    [.armDeadline(.start), .publish, .anticipateSettings]
                ),
                .stopRequested: tearDown(Reasons.stop),
            ],
            ignored: [
                .namesResolved, .resolutionFailed, .providerLaunched, .launchFailed,
                .settingsAsked, .settingsApplied, .settingsRejected, .providerConnected,
                .kernelConfirmed, .kernelDiffers, .providerReasserting, .providerFailed,
                .providerStopped, .providerExited, .protocolViolated, .interfaceRemoved,
                .startDeadline, .stopDeadline, .exitDeadline, .killDeadline, .tornDown,
                .anticipated, .anticipationFailed, .woken, .idled,
            ]),
        StateRow(
            .resolving,
            [
                .namesResolved: (.launching, [.launchProvider]),
                .resolutionFailed: tearDown(Reasons.resolution),
                .stopRequested: tearDown(Reasons.stop),
                .interfaceRemoved: tearDown(Reasons.removed),
                .startDeadline: tearDown(Reasons.timedOut("names were not resolved")),
            ],
            ignored: [
                .startWaiting, .anticipated, .anticipationFailed, .woken, .idled,
                .start, .providerLaunched, .launchFailed, .settingsAsked, .settingsApplied,
                .settingsRejected, .providerConnected, .kernelConfirmed, .kernelDiffers,
                .providerReasserting, .providerFailed, .providerStopped, .providerExited,
                .protocolViolated, .stopDeadline, .exitDeadline, .killDeadline, .tornDown,
            ]),
        StateRow(
            .launching,
            [
                .providerLaunched: (.configuring, [.sendStart]),
                .launchFailed: tearDown(Reasons.launch),
                .stopRequested: tearDown(Reasons.stop),
                .interfaceRemoved: tearDown(Reasons.removed),
                .startDeadline: tearDown(Reasons.timedOut("the provider did not start")),
            ],
            ignored: [
                .startWaiting, .anticipated, .anticipationFailed, .woken, .idled,
                .start, .namesResolved, .resolutionFailed, .settingsAsked, .settingsApplied,
                .settingsRejected, .providerConnected, .kernelConfirmed, .kernelDiffers,
                .providerReasserting, .providerFailed, .providerStopped, .providerExited,
                .protocolViolated, .stopDeadline, .exitDeadline, .killDeadline, .tornDown,
            ]),
        running(
            .configuring,
            [
                .settingsAsked: (.configuring, [.applySettings(id: 1)]),
                .settingsApplied: (.settled, [.acknowledgeSettings(id: 1)]),
                .settingsRejected: stop(Reasons.settings, first: [.refuseSettings(id: 1)]),
                .providerConnected: (.configuring, [.noteEarlyClaim]),
                .startDeadline: stop(Reasons.timedOut("the provider asked for no settings")),
            ],
            ignored: [
                .startWaiting, .anticipated, .anticipationFailed, .woken, .idled,
                .start, .namesResolved, .resolutionFailed, .providerLaunched, .launchFailed,
                .kernelConfirmed, .kernelDiffers, .providerReasserting, .stopDeadline,
                .exitDeadline, .killDeadline, .tornDown,
            ]),
        running(
            .settled,
            [
                .settingsAsked: (.settled, [.applySettings(id: 1)]),
                .settingsApplied: (.settled, [.acknowledgeSettings(id: 1)]),
                .settingsRejected: stop(Reasons.settings, first: [.refuseSettings(id: 1)]),
                .providerConnected: (.settled, [.readBack]),
                .kernelConfirmed: (.connected, [.clearDeadline, .publish]),
                .kernelDiffers: stop(Reasons.differs),
                .startDeadline: stop(
                    Reasons.timedOut("the provider did not report a connection")),
            ],
            ignored: [
                .startWaiting, .anticipated, .anticipationFailed, .woken, .idled,
                .start, .namesResolved, .resolutionFailed, .providerLaunched, .launchFailed,
                .providerReasserting, .stopDeadline, .exitDeadline, .killDeadline, .tornDown,
            ]),
        running(
            .connected,
            [
                .settingsAsked: (.connected, [.applySettings(id: 1)]),
                .settingsApplied: (.connected, [.acknowledgeSettings(id: 1)]),
                .settingsRejected: (.connected, [.refuseSettings(id: 1)]),
                .providerReasserting: (.reasserting(reason: "silence"), [.publish]),
                .idled: (
                    .dozing(idle: "quiet", .stop, isWanted: false),
                    [.sendStop(.idle), .armDeadline(.stop), .publish]
                ),
            ],
            ignored: [
                .startWaiting, .anticipated, .anticipationFailed, .woken,
                .start, .namesResolved, .resolutionFailed, .providerLaunched, .launchFailed,
                .providerConnected, .kernelConfirmed, .kernelDiffers, .startDeadline,
                .stopDeadline, .exitDeadline, .killDeadline, .tornDown,
            ]),
        running(
            .reasserting(reason: "roaming"),
            [
                .settingsAsked: (.reasserting(reason: "roaming"), [.applySettings(id: 1)]),
                .settingsApplied: (.reasserting(reason: "roaming"), [.acknowledgeSettings(id: 1)]),
                .settingsRejected: (.reasserting(reason: "roaming"), [.refuseSettings(id: 1)]),
                .providerConnected: (.reasserting(reason: "roaming"), [.readBack]),
                .kernelConfirmed: (.connected, [.publish]),
                .kernelDiffers: stop(Reasons.differs),
                .providerReasserting: (.reasserting(reason: "silence"), [.publish]),
            ],
            ignored: [
                .startWaiting, .anticipated, .anticipationFailed, .woken, .idled,
                .start, .namesResolved, .resolutionFailed, .providerLaunched, .launchFailed,
                .startDeadline, .stopDeadline, .exitDeadline, .killDeadline, .tornDown,
            ]),
        stopping(.start, [.protocolViolated: kill(Reasons.stop)]),
        stopping(
            .stop,
            [
                .providerStopped: (.stopping(Reasons.stop, .exit), [.armDeadline(.exit)]),
                .providerFailed: (.stopping(Reasons.stop, .exit), [.armDeadline(.exit)]),
                .protocolViolated: kill(Reasons.stop),
                .stopDeadline: (
                    .stopping(Reasons.stop, .exit),
                    [.signalProvider(.terminate), .armDeadline(.exit)]
                ),
            ]),
        stopping(
            .exit,
            [.protocolViolated: kill(Reasons.stop), .exitDeadline: kill(Reasons.stop)]),
        stopping(.kill, [:]),
        StateRow(
            .tearingDown(Reasons.stop),
            [.tornDown: (.ended(Reasons.stop), [.publish, .finish])],
            ignored: EventKind.allCases.filter { $0 != .tornDown }),
        StateRow(.ended(Reasons.stop), [:], ignored: EventKind.allCases),
        others(
            than: [
                .anticipated: (
                    .waiting(idle: nil), [.clearDeadline, .publish, .watchTraffic]
                ),
                .anticipationFailed: tearDown(Reasons.settings),
                .woken: (.preparing(isWanted: true), []),
                .stopRequested: tearDown(Reasons.stop),
                .interfaceRemoved: tearDown(Reasons.removed),
                .startDeadline: tearDown(
                    Reasons.timedOut("its settings did not come into force")),
            ], .preparing(isWanted: false)),
        others(
            than: [
                .woken: connecting([.unwatchTraffic]),
                .stopRequested: tearDown(Reasons.stop, first: [.unwatchTraffic]),
                .interfaceRemoved: tearDown(Reasons.removed, first: [.unwatchTraffic]),
            ], .waiting(idle: "quiet")),
        dozing(.start, [.protocolViolated: killDozing]),
        dozing(
            .stop,
            [
                .providerStopped: doze(.exit, [.armDeadline(.exit)]),
                .providerFailed: doze(.exit, [.armDeadline(.exit)]),
                .protocolViolated: killDozing,
                .stopDeadline: doze(
                    .exit, [.signalProvider(.terminate), .armDeadline(.exit)]),
            ]),
        dozing(.exit, [.protocolViolated: killDozing, .exitDeadline: killDozing]),
        dozing(.kill, [:]),
    ]

    private static func connecting(_ first: [SessionEffect]) -> (SessionState, [SessionEffect]) {
        (.resolving, first + [.armDeadline(.start), .publish, .resolveNames])
    }

    private static func doze(_ stage: SessionDeadline, _ effects: [SessionEffect])
        -> (SessionState, [SessionEffect])
    {
        (.dozing(idle: "quiet", stage, isWanted: false), effects)
    }

    private static let killDozing = doze(.kill, [.clearDeadline, .signalProvider(.kill)])

    private static func others(
        than outcomes: [EventKind: (SessionState, [SessionEffect])],
        _ state: SessionState
    ) -> StateRow {
        StateRow(
            state, outcomes, ignored: EventKind.allCases.filter { outcomes[$0] == nil })
    }

    /// Its provider is on its way out already, so that an end takes over what is left of that.
    private static func dozing(
        _ stage: SessionDeadline,
        _ outcomes: [EventKind: (SessionState, [SessionEffect])]
    ) -> StateRow {
        var outcomes = outcomes
        outcomes[.providerExited] = (
            .waiting(idle: "quiet"),
            [.clearDeadline, .forgetProvider(idle: "quiet"), .publish, .watchTraffic]
        )
        outcomes[.woken] = (.dozing(idle: "quiet", stage, isWanted: true), [])
        outcomes[.stopRequested] = (.stopping(Reasons.stop, stage), [.publish])
        outcomes[.interfaceRemoved] = (.stopping(Reasons.removed, stage), [.publish])
        return others(than: outcomes, .dozing(idle: "quiet", stage, isWanted: false))
    }
}
