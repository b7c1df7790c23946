import Testing
import TunnelModel

@Suite struct SessionStateTests {
    @Test func theTableHasEveryStateAndTheSamplesEveryEvent() {
        #expect(StateRow.table.map(\.state.kind) == StateKind.allCases)
        #expect(SessionEvent.samples.map(\.kind) == EventKind.allCases)
        for row in StateRow.table {
            let named = Array(row.outcomes.keys) + row.ignored
            #expect(Set(named) == Set(EventKind.allCases), "\(row.state.kind)")
            #expect(named.count == EventKind.allCases.count, "\(row.state.kind)")
        }
    }

    @Test(arguments: StateKind.allCases)
    func everyEventInEveryState(kind: StateKind) throws {
        let row = try #require(StateRow.table.first { $0.state.kind == kind })
        for event in SessionEvent.samples {
            var state = row.state
            let effects = state.handle(event)
            let expected = row.outcomes[event.kind] ?? .init(state: row.state, effects: [])
            #expect(state == expected.state, "\(kind) \(event)")
            #expect(effects == expected.effects, "\(kind) \(event)")
        }
    }

    @Test(
        arguments: [
            (.idle, .disconnected), (.resolving, .connecting), (.launching, .connecting),
            (.configuring, .connecting), (.settled, .connecting), (.connected, .connected),
            (.reasserting, .reasserting), (.stoppingStart, .disconnecting),
            (.stoppingStop, .disconnecting), (.stoppingExit, .disconnecting),
            (.stoppingKill, .disconnecting), (.tearingDown, .disconnecting),
            (.ended, .disconnected), (.preparing, .connecting), (.waiting, .waiting),
            (.dozingStart, .waiting), (.dozingStop, .waiting), (.dozingExit, .waiting),
            (.dozingKill, .waiting),
        ] as [(StateKind, TunnelStatus)])
    func whatTheWorldIsTold(kind: StateKind, status: TunnelStatus) throws {
        let row = try #require(StateRow.table.first { $0.state.kind == kind })
        #expect(row.state.status == status)
    }

    @Test func aWholeSession() {
        var walk = SessionWalk()
        for event: SessionEvent in [
            .start, .namesResolved, .providerLaunched, .settingsAsked(id: 1),
            .settingsApplied(id: 1), .providerConnected, .kernelConfirmed,
            .stopRequested(Reasons.stop), .providerStopped, .providerExited(""), .tornDown,
        ] {
            walk.take(event)
        }
        #expect(walk.state == .ended(Reasons.stop))
        #expect(
            walk.published == [
                .connecting, .connected, .disconnecting, .disconnecting, .disconnected,
            ])
    }

    @Test func aSessionThatWaitsAndSleepsAndWakesAgain() {
        var walk = SessionWalk()
        let connection: [SessionEvent] = [
            .woken, .namesResolved, .providerLaunched, .settingsAsked(id: 1),
            .settingsApplied(id: 1), .providerConnected, .kernelConfirmed,
        ]
        walk.takeAll([.startWaiting, .anticipated])
        #expect(walk.state == .waiting(idle: nil))
        walk.takeAll(connection + [.idled("quiet"), .providerStopped, .providerExited("")])
        #expect(walk.state == .waiting(idle: "quiet"))
        walk.takeAll(connection)
        #expect(walk.state == .connected)
        // A packet that comes while its provider ends is the next one's.
        walk.takeAll([.idled("quiet"), .woken, .providerStopped, .providerExited("")])
        #expect(walk.state == .resolving)
        #expect(
            walk.published == [
                .connecting, .waiting, .connecting, .connected, .waiting, .waiting, .connecting,
                .connected, .waiting, .connecting,
            ])
    }

    @Test func whoWantsItBeforeItWaitsIsNotForgotten() {
        var walk = SessionWalk()
        walk.takeAll([.startWaiting, .woken, .anticipated])
        #expect(walk.state == .resolving)
    }

    @Test func anEarlyClaimToBeConnectedIsNotBelieved() {
        var walk = SessionWalk()
        for event: SessionEvent in [
            .start, .namesResolved, .providerLaunched, .providerConnected, .kernelConfirmed,
            .settingsApplied(id: 1),
        ] {
            walk.take(event)
        }
        #expect(walk.state == .settled)
        #expect(!walk.published.contains(.connected))
    }

    @Test func theFirstReasonOfAnEndStays() {
        var walk = SessionWalk()
        for event: SessionEvent in [
            .start, .namesResolved, .providerLaunched, .providerFailed(Reasons.failure),
            .stopRequested(Reasons.stop), .interfaceRemoved, .providerExited("status 1"),
            .stopRequested(Reasons.stop), .tornDown,
        ] {
            walk.take(event)
        }
        #expect(walk.state == .ended(Reasons.failure))
    }

    @Test func aProviderThatDoesNotStopIsTerminatedAndThenKilled() {
        var walk = SessionWalk()
        for event: SessionEvent in [
            .start, .namesResolved, .providerLaunched, .stopRequested(Reasons.stop),
            .deadlinePassed(.stop), .deadlinePassed(.exit),
        ] {
            walk.take(event)
        }
        #expect(walk.signals == [.terminate, .kill])
        #expect(walk.state == .stopping(Reasons.stop, .kill))
    }

    /// Events at random, in any order, sensible or not.
    @Test(arguments: 0..<200)
    func whateverHappensAStopEndsTheSessionWithOneTearDown(seed: UInt64) {
        var random = RepeatableNumbers(seed: seed)
        var walk = SessionWalk()
        if seed % 8 != 0 { walk.takeAll([.start, .namesResolved, .providerLaunched]) }
        for _ in 0..<Int.random(in: 0..<60, using: &random) {
            guard let event = SessionEvent.samples.randomElement(using: &random) else { return }
            // Ends are rarer, so that walks get somewhere.
            let isEnd = StateRow.table[3].outcomes[event.kind]?.state.status == .disconnecting
            if isEnd, Int.random(in: 0..<10, using: &random) > 0 { continue }
            walk.take(event)
            walk.checkDeadline()
        }
        walk.take(.stopRequested(Reasons.stop))
        walk.runToEnd()
        #expect(walk.tearDowns == 1 && walk.finishes == 1)
        #expect(walk.state.kind == .ended)
    }

    @Test func aProviderThatExitsEndsTheSessionFromEveryStateInWhichOneRuns() {
        for start in SessionWalk.reachable() {
            switch start.state.kind {
            case .idle, .preparing, .waiting, .resolving, .launching, .tearingDown, .ended: continue
            // There the session goes on without it.
            case .dozingStart, .dozingStop, .dozingExit, .dozingKill: continue
            case .configuring, .settled, .connected, .reasserting, .stoppingStart,
                .stoppingStop, .stoppingExit, .stoppingKill:
                break
            }
            var walk = start
            walk.take(.providerExited("signal 9"))
            #expect(walk.state.kind == .tearingDown)
            walk.runToEnd()
            #expect(walk.tearDowns == 1 && walk.finishes == 1)
        }
    }

    @Test func everyStateButOneIsReached() {
        let reached = Set(SessionWalk.reachable().map(\.state.kind))
        // Nothing stops in the stage of the start: the type allows it, no event leads there.
        #expect(Set(StateKind.allCases).subtracting(reached) == [.stoppingStart, .dozingStart])
    }

    @Test func connectedIsEnteredOnlyWhenTheKernelConfirmsSettingsThatWereApplied() {
        for walk in SessionWalk.reachable() {
            for event in SessionEvent.samples {
                var next = walk
                next.take(event)
                guard next.state == .connected, walk.state != .connected else { continue }
                #expect(event == .kernelConfirmed)
                #expect(walk.settingsWereApplied)
            }
        }
    }
}

/// A session together with what its effects have done so far.
struct SessionWalk {
    private(set) var state = SessionState.idle
    private(set) var armed: SessionDeadline?
    private(set) var isWatching = false
    private(set) var tearDowns = 0
    private(set) var finishes = 0
    private(set) var settingsWereApplied = false
    private(set) var published: [TunnelStatus] = []
    private(set) var signals: [SessionEffect.Signal] = []

    mutating func take(_ event: SessionEvent) {
        if case .settingsApplied = event, state == .configuring { settingsWereApplied = true }
        for effect in state.handle(event) {
            switch effect {
            case .armDeadline(let deadline): armed = deadline
            case .clearDeadline: armed = nil
            case .tearDown: tearDowns += 1
            case .finish: finishes += 1
            case .publish: published.append(state.status)
            case .signalProvider(let signal): signals.append(signal)
            case .watchTraffic: isWatching = true
            case .unwatchTraffic: isWatching = false
            case .anticipateSettings, .forgetProvider, .resolveNames, .launchProvider, .sendStart,
                .applySettings, .acknowledgeSettings, .refuseSettings, .readBack,
                .noteEarlyClaim, .sendStop:
                break
            }
        }
    }

    mutating func takeAll(_ events: [SessionEvent]) {
        for event in events { take(event) }
    }

    /// Whether what is waited for is bounded as it should be.
    func checkDeadline() {
        // A provider and its host would take packets from each other.
        if case .waiting = state { #expect(isWatching) } else { #expect(!isWatching) }
        switch state {
        case .dozing(_, .kill, _): #expect(armed == nil)
        case .dozing(_, let stage, _): #expect(armed == stage)
        case .waiting: #expect(armed == nil)
        case .preparing, .resolving, .launching, .configuring, .settled: #expect(armed == .start)
        case .stopping(_, .kill): #expect(armed == nil)
        case .stopping(_, let stage): #expect(armed == stage)
        case .idle, .connected, .reasserting, .tearingDown, .ended: #expect(armed == nil)
        }
    }

    /// Goes on with the most stubborn provider there is: it ends by SIGKILL alone.
    mutating func runToEnd() {
        for _ in 0..<10 {
            if case .ended = state { return }
            if case .tearingDown = state { take(.tornDown) }
            if signals.last == .kill { take(.providerExited("signal 9")) }
            if let armed { take(.deadlinePassed(armed)) }
        }
    }

    /// One walk to each state that some row of events leads to, by breadth.
    static func reachable() -> [SessionWalk] {
        var found = [SessionWalk()]
        var next = 0
        while next < found.count {
            for event in SessionEvent.samples {
                var walk = found[next]
                walk.take(event)
                let isNew = !found.contains {
                    $0.state == walk.state && $0.settingsWereApplied == walk.settingsWereApplied
                }
                if isNew { found.append(walk) }
            }
            next += 1
        }
        return found
    }
}
