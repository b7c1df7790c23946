import JSON
import OnDemand
import Testing
import TunnelModel

/// How On Demand goes from one turn to the next.
struct TurnTests {
    private static let start = Timestamp(microseconds: 1_000_000_000_000)
    private static let connect = decided(.connect, .rule(0))
    private static let disconnect = decided(.disconnect, .rule(1))
    private static let ignore = decided(.ignore, .noRuleMatches)
    private static let traffic = decided(.connect, .rule(0), when: .traffic)
    private static let noNetwork = decided(.ignore, .noNetwork)
    private static let probing = RuleEvaluation.Outcome.needsProbe(url: "http://a/", rule: 0)

    private static func decided(
        _ action: OnDemandRule.Action,
        _ basis: RuleDecision.Basis,
        when: OnDemandRule.Moment = .now
    ) -> RuleEvaluation.Outcome {
        .decided(RuleDecision(basis: basis, action: action, when: when, reason: "\(basis)"))
    }

    /// One tunnel, and the time.
    private struct Bench {
        var entry: OnDemandEntry
        var now = TurnTests.start
        var situation: OnDemandSituation
        var policy = RetryPolicy(
            firstMilliseconds: 1000, longestMilliseconds: 8000, mostFailures: 4)

        init(_ outcome: RuleEvaluation.Outcome, addresses: Bool = true) {
            var configuration = Configuration(
                identifier: "7b0d6e2e-0000-4000-8000-000000000001", name: "office")
            configuration.provider = addresses ? "org.utunctl.loopback" : "org.example.thing"
            configuration.providerConfiguration["addresses"] = .array([.string("10.0.0.1/30")])
            configuration.startTimeout = 10
            situation = OnDemandSituation(configuration)
            entry = OnDemandEntry(
                identifier: configuration.identifier, generation: situation.generation,
                since: now)
            if case .decided(let decision) = outcome { entry.decision = decision }
        }

        mutating func turn(_ outcome: RuleEvaluation.Outcome, after seconds: Double = 0)
            -> OnDemandStep?
        {
            now = Timestamp(microseconds: now.microseconds + Int64(seconds * 1_000_000))
            defer {
                situation.networkChanged = false
                situation.isResumed = false
            }
            let step = entry.turn(outcome, situation, policy, now: now, jitter: 0)
            if case .start = step { entry.begin(now: now) }
            return step
        }

        mutating func run(
            _ origin: SessionOrigin = .ondemand,
            isWaiting: Bool = false,
            startedBefore seconds: Double = 0
        ) {
            situation.end = nil
            situation.session = OnDemandSituation.Session(
                origin: origin, attempt: "a",
                started: Timestamp(
                    microseconds: now.microseconds - Int64(seconds * 1_000_000)),
                isWaiting: isWaiting)
        }

        private var ends = 0

        mutating func end(_ code: DisconnectCode, after milliseconds: Int64 = 100) {
            ends += 1
            situation.session = nil
            situation.end = OnDemandSituation.End(
                attempt: "end \(ends)", origin: .ondemand, reason: DisconnectReason(code, "why"),
                lifeMilliseconds: milliseconds)
        }
    }

    @Test func connectStartsOnceAndNothingWhileItRuns() {
        var bench = Bench(Self.connect)
        #expect(bench.turn(Self.connect) == .start(.now))
        bench.run()
        for _ in 0..<5 { #expect(bench.turn(Self.connect, after: 1) == nil) }
        #expect(bench.entry.state == .following)
    }

    @Test func disconnectEndsWhatOnDemandHasStarted() {
        var bench = Bench(Self.connect)
        bench.run()
        #expect(bench.turn(Self.disconnect) == .stop)
    }

    @Test func aTunnelThatWasThereBeforeTheNetworkChangedIsEndedWhoeverStartedIt() {
        var bench = Bench(Self.connect)
        bench.run(.user, startedBefore: 10)
        #expect(bench.turn(Self.disconnect) == .stop)
    }

    @Test func aPersonWhoStartsATunnelWhereRulesWantItDownIsNotOverruled() {
        var bench = Bench(Self.ignore)
        #expect(bench.turn(Self.disconnect, after: 5) == nil)
        bench.now = Timestamp(microseconds: bench.now.microseconds + 5_000_000)
        bench.run(.user)
        #expect(bench.turn(Self.disconnect) == nil)
        #expect(bench.entry.state == .overruled)
        // Elsewhere, and back: now it is a change of the network that asks for it.
        #expect(bench.turn(Self.connect, after: 5) == nil)
        #expect(bench.turn(Self.disconnect, after: 5) == .stop)
    }

    @Test(arguments: [true, false])
    func aHoldWinsOverEveryRuleAndEveryRunningSession(isWholePause: Bool) {
        for decision in [Self.connect, Self.disconnect, Self.ignore, Self.traffic] {
            for runs in [true, false] {
                var bench = Bench(Self.ignore)
                if runs { bench.run(isWaiting: true) }
                bench.situation.isHeld = !isWholePause
                bench.situation.isPaused = isWholePause
                bench.situation.networkChanged = true
                #expect(bench.turn(decision, after: 1) == nil)
                #expect(bench.entry.state == (isWholePause ? .paused : .held))
            }
        }
    }

    @Test func ignoreLeavesARunningTunnelAloneAndEndsOneThatWaits() {
        var bench = Bench(Self.connect)
        bench.run()
        #expect(bench.turn(Self.ignore) == nil)
        bench.run(isWaiting: true)
        #expect(bench.turn(Self.ignore) == .stop)
    }

    @Test func failuresBackOffDoubleAndEndInSuspension() {
        var bench = Bench(Self.connect)
        #expect(bench.turn(Self.connect) == .start(.now))
        for (failures, pause) in [(1, 1.0), (2, 2.0), (3, 4.0)] {
            bench.end(.serverNotResponding)
            #expect(bench.turn(Self.connect) == nil)
            #expect(bench.entry.state == .retrying)
            #expect(bench.entry.failures == failures)
            #expect(bench.turn(Self.connect, after: pause - 0.01) == nil)
            #expect(bench.turn(Self.connect, after: 0.02) == .start(.now), "\(failures)")
        }
        bench.end(.serverNotResponding)
        #expect(bench.turn(Self.connect) == nil)
        #expect(bench.entry.state == .suspended)
        #expect(bench.entry.nextTry == nil)
        #expect(bench.turn(Self.connect, after: 100_000) == nil)
        #expect(bench.entry.failure?.contains("serverNotResponding") == true)
    }

    @Test func aClockThatIsSetBackPutsNothingOffForLong() {
        var bench = Bench(Self.connect)
        bench.end(.providerCrashed)
        #expect(bench.turn(Self.connect) == nil)
        #expect(bench.turn(Self.connect, after: -86_400) == .start(.now))
        for _ in 0..<3 { _ = bench.turn(Self.connect) }
        #expect(bench.turn(Self.connect, after: -86_400) == .start(.now))
    }

    @Test func whatAPersonHasWaitForTrafficIsLeftAlone() {
        var bench = Bench(Self.connect)
        bench.run(.user, isWaiting: true)
        #expect(bench.turn(Self.connect) == nil)
        #expect(bench.turn(Self.ignore) == nil)
    }

    @Test func withoutANetworkNothingIsDoneAndNothingForgotten() {
        var bench = Bench(Self.disconnect)
        bench.run(.user)
        #expect(bench.turn(Self.disconnect) == nil)
        bench.run(isWaiting: true)
        bench.situation.networkChanged = true
        #expect(bench.turn(Self.noNetwork, after: 5) == nil)
        #expect(bench.entry.state == .noNetwork)
        #expect(bench.entry.since == Self.start)
    }

    @Test func aTunnelThatFailedBlocksNoHostWhereRulesWantItDown() {
        var configuration = Configuration(
            identifier: "7b0d6e2e-0000-4000-8000-000000000001", name: "office")
        configuration.routing.includeAllNetworks = true
        for (lockdown, step) in [
            (RoutingSettings.Lockdown.session, OnDemandStep.stop), (.always, nil),
        ] {
            configuration.routing.lockdown = lockdown
            var bench = Bench(Self.connect)
            bench.situation = OnDemandSituation(configuration)
            bench.end(.serverNotResponding)
            #expect(bench.turn(Self.connect) == nil)
            #expect(bench.turn(Self.disconnect) == step)
            #expect(bench.turn(Self.disconnect, after: 1) == nil)
        }
    }

    @Test func aFailureIsCountedOnceHoweverOftenItIsSeen() {
        var bench = Bench(Self.connect)
        bench.end(.providerCrashed)
        for _ in 0..<10 { _ = bench.turn(Self.connect) }
        #expect(bench.entry.failures == 1)
    }

    /// What lifts a suspension.
    enum Relief: CaseIterable {
        case network, resume, saved, hold
    }

    @Test(arguments: Relief.allCases)
    func aSuspensionIsLiftedByTheNetworkOrAPerson(relief: Relief) {
        var bench = Bench(Self.connect)
        for _ in 0..<4 {
            bench.end(.providerCrashed)
            _ = bench.turn(Self.connect, after: 60)
        }
        #expect(bench.entry.state == .suspended)
        switch relief {
        case .network: bench.situation.networkChanged = true
        case .resume: bench.situation.isResumed = true
        case .saved: bench.entry.generation += 1
        case .hold:
            bench.situation.isHeld = true
            #expect(bench.turn(Self.connect) == nil)
            bench.situation.isHeld = false
        }
        #expect(bench.turn(Self.connect, after: 61) == .start(.now))
        #expect(bench.entry.failures == 0)
    }

    @Test func aNetworkThatComesAndGoesStartsNoStorm() {
        var bench = Bench(Self.ignore)
        var starts = 0
        for turn in 0..<100 {
            bench.situation.networkChanged = true
            let isThere = turn % 2 == 0
            if bench.turn(isThere ? Self.connect : Self.disconnect, after: 0.1) == .start(.now) {
                starts += 1
                bench.run()
            } else if !isThere {
                bench.end(.onDemandRule)
            }
        }
        #expect(starts == bench.policy.mostStarts)
        #expect(bench.turn(Self.connect, after: 60) == .start(.now))
    }

    @Test func aTunnelThatRanForLongBeginsItsFailuresAnew() {
        var bench = Bench(Self.connect)
        for _ in 0..<3 {
            bench.end(.providerCrashed)
            _ = bench.turn(Self.connect, after: 60)
        }
        bench.end(.providerCrashed, after: 71_000)
        _ = bench.turn(Self.connect)
        #expect(bench.entry.failures == 1)
    }

    @Test func whatEndsForWantOfTrafficWaitsForMore() {
        var bench = Bench(Self.connect)
        bench.end(.idle)
        #expect(bench.turn(Self.connect) == .start(.traffic))
        bench.run(isWaiting: true)
        #expect(bench.turn(Self.connect, after: 10) == nil)
        // The next network is a reason of its own.
        bench.situation.networkChanged = true
        #expect(bench.turn(Self.connect, after: 10) == .wake)
    }

    @Test func whatIsToWaitWhenItIsIdleBeginsWithThatAndIsWokenOnce() {
        var configuration = Configuration(
            identifier: "7b0d6e2e-0000-4000-8000-000000000001", name: "office")
        configuration.provider = "org.utunctl.loopback"
        configuration.providerConfiguration["addresses"] = .array([.string("10.0.0.1/30")])
        configuration.idleTimeout = 60
        var bench = Bench(Self.connect)
        bench.situation = OnDemandSituation(configuration)
        #expect(bench.turn(Self.connect) == .start(.traffic))
        bench.run(isWaiting: true)
        #expect(bench.turn(Self.connect) == .wake)
        bench.entry.wasWoken = true
        bench.run()
        #expect(bench.turn(Self.connect) == nil)
        // By now it is idle.
        bench.run(isWaiting: true)
        for _ in 0..<3 { #expect(bench.turn(Self.connect, after: 1) == nil) }
        bench.situation.networkChanged = true
        #expect(bench.turn(Self.connect, after: 1) == .wake)
    }

    @Test func whatCannotWaitForTrafficStaysDownWhenItWasIdle() {
        var bench = Bench(Self.connect, addresses: false)
        bench.end(.idle)
        #expect(bench.turn(Self.connect) == nil)
        #expect(bench.entry.state == .idle)
        bench.situation.networkChanged = true
        #expect(bench.turn(Self.connect, after: 1) == .start(.now))
    }

    @Test func aWaitingTunnelIsWokenWhereItIsToRunNow() {
        var bench = Bench(Self.traffic)
        #expect(bench.turn(Self.traffic) == .start(.traffic))
        bench.run(isWaiting: true)
        #expect(bench.turn(Self.traffic, after: 1) == nil)
        #expect(bench.turn(Self.connect, after: 1) == .wake)
    }

    @Test func whatEndedForASleepIsNotUpAgainBeforeIt() {
        var bench = Bench(Self.connect)
        bench.end(.sleep)
        #expect(bench.turn(Self.connect) == nil)
        bench.situation.networkChanged = true
        #expect(bench.turn(Self.connect, after: 1) == .start(.now))
    }

    @Test func nothingIsDoneWhileAProbeIsUnderWay() {
        var bench = Bench(Self.connect)
        bench.run()
        #expect(bench.turn(Self.probing) == nil)
        #expect(bench.entry.state == .probing)
        #expect(bench.turn(Self.disconnect) == .stop)
    }

    @Test func aRefusedStartCountsAsAFailure() {
        var bench = Bench(Self.connect)
        #expect(bench.turn(Self.connect) == .start(.now))
        bench.entry.refuse("no such provider", bench.policy, now: bench.now, jitter: 0)
        #expect(bench.turn(Self.connect) == nil)
        #expect(bench.entry.state == .retrying)
        #expect(bench.turn(Self.connect, after: 1.01) == .start(.now))
    }

    @Test func pausesStayWithinTheirBoundsForEveryJitter() {
        let policy = RetryPolicy()
        for failures in 0...100 {
            for step in 0...10 {
                let pause = policy.pause(afterFailures: failures, jitter: Double(step) / 10)
                #expect((1...policy.longestMilliseconds).contains(pause))
            }
            let whole = policy.pause(afterFailures: failures, jitter: 0)
            #expect(policy.pause(afterFailures: failures, jitter: 1) >= whole * 3 / 4)
        }
    }

    @Test func whatIsWrittenDownIsReadAgain() throws {
        var bench = Bench(Self.connect)
        _ = bench.turn(Self.connect)
        bench.end(.providerCrashed)
        _ = bench.turn(Self.traffic, after: 1)
        var record = OnDemandRecord()
        record.network = Networks.home
        record.entries = [bench.entry]
        let line = JSONWriter.line(record)
        let read = try JSONDocument(parsing: line).withRoot { node throws(JSONError) in
            try OnDemandRecord(node)
        }
        #expect(read == record)
    }
}
