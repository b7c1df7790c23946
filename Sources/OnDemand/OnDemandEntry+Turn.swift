package import TunnelModel

extension OnDemandEntry {
    /// Goes on to what the rules say now, and answers what is to be done.
    ///
    /// A pure function: the same situation at the same time has the same outcome. A person comes
    /// first in it, then failures, then the rules. `jitter`, from 0 to 1, is how much earlier than
    /// it might the next try comes.
    package mutating func turn(
        _ outcome: RuleEvaluation.Outcome,
        _ situation: OnDemandSituation,
        _ policy: RetryPolicy,
        now: Timestamp,
        jitter: Double
    ) -> OnDemandStep? {
        note(outcome, situation, now)
        count(situation, policy, now, jitter)
        if situation.isHeld || situation.isPaused {
            // A person has acted: what was before is no reason any more.
            forgive()
            starts = []
            rouse()
            state = situation.isHeld ? .held : .paused
            return nil
        }
        guard case .decided(let decision) = outcome else {
            state = .probing
            return nil
        }
        guard decision.basis != .noNetwork else {
            state = .noNetwork
            return nil
        }
        switch decision.action {
        // Refused when it is saved; what an earlier version saved does nothing.
        case .ignore, .evaluateConnection:
            state = .following
            return situation.ownSession?.isWaiting == true ? .stop : nil
        case .disconnect: return disconnect(situation)
        case .connect: return connect(decision.when, situation, policy, now)
        }
    }

    /// Notes a start that was refused before there was a session.
    package mutating func refuse(
        _ text: String,
        _ policy: RetryPolicy,
        now: Timestamp,
        jitter: Double
    ) {
        fail(text, policy, now, jitter)
        state = isSuspended ? .suspended : .retrying
    }

    /// Notes that a start is about to be made.
    package mutating func begin(now: Timestamp) {
        nextTry = nil
        starts = starts.filter { $0 <= now }.suffix(15) + [now]
    }

    // MARK: What has happened

    private mutating func note(
        _ outcome: RuleEvaluation.Outcome,
        _ situation: OnDemandSituation,
        _ now: Timestamp
    ) {
        // While a probe is under way, and without a network, they want what they wanted.
        if case .decided(let decision) = outcome, decision.basis != .noNetwork {
            if let former = self.decision, !former.wantsTheSame(as: decision) {
                since = now
                rouse()
            }
            self.decision = decision
        }
        if situation.networkChanged || situation.isResumed { rouse() }
        if situation.isResumed { starts = [] }
        if situation.networkChanged || situation.isResumed || situation.generation != generation {
            forgive()
        }
        generation = situation.generation
    }

    private mutating func count(
        _ situation: OnDemandSituation,
        _ policy: RetryPolicy,
        _ now: Timestamp,
        _ jitter: Double
    ) {
        if let session = situation.session {
            let life = (now.microseconds - session.started.microseconds) / 1000
            let isSteady = life >= situation.startMilliseconds + policy.steadyMilliseconds
            if session.origin != .ondemand || isSteady && !session.isWaiting { forgive() }
        }
        guard let end = situation.end, end.attempt != countedAttempt else { return }
        countedAttempt = end.attempt
        switch end.reason.code {
        case .idle: isAsleep = true
        case .sleep:
            // It is not to be up again before the system sleeps; the end of that is a new network.
            nextTry = now.advanced(milliseconds: policy.sleepMilliseconds)
        default: break
        }
        guard !end.reason.code.wasAskedFor else { return }
        let steady = situation.startMilliseconds + policy.steadyMilliseconds
        if let life = end.lifeMilliseconds, life >= steady { forgive() }
        fail(end.reason.summary, policy, now, jitter)
    }

    private mutating func fail(
        _ text: String,
        _ policy: RetryPolicy,
        _ now: Timestamp,
        _ jitter: Double
    ) {
        failures += 1
        failure = text
        isSuspended = failures >= policy.mostFailures
        nextTry =
            isSuspended
            ? nil
            : now.advanced(
                milliseconds: policy.pause(afterFailures: failures, jitter: jitter))
    }

    // MARK: What is to be done

    private mutating func disconnect(_ situation: OnDemandSituation) -> OnDemandStep? {
        forgive()
        guard let session = situation.session else {
            state = .following
            return lift(situation)
        }
        // Whoever starts a tunnel where the rules want it down knows that, and means it.
        guard session.origin == .ondemand || session.started < since else {
            state = .overruled
            return nil
        }
        state = .following
        return .stop
    }

    // A tunnel that is not to be there is not to block this host either; once for each that failed.
    private mutating func lift(_ situation: OnDemandSituation) -> OnDemandStep? {
        guard situation.mayBlock, let end = situation.end, end.origin == .ondemand,
            !end.reason.code.liftsBlock, end.attempt != liftedAttempt
        else { return nil }
        liftedAttempt = end.attempt
        return .stop
    }

    private mutating func connect(
        _ when: OnDemandRule.Moment,
        _ situation: OnDemandSituation,
        _ policy: RetryPolicy,
        _ now: Timestamp
    ) -> OnDemandStep? {
        if let session = situation.session {
            state = .following
            guard situation.ownSession != nil, session.isWaiting else {
                nextTry = nil
                return nil
            }
            guard when == .now, !isAsleep, !wasWoken, !isTooEarly(policy, now) else {
                return nil
            }
            return .wake
        }
        wasWoken = false
        if isAsleep, !situation.canWait {
            state = .idle
            return nil
        }
        if isSuspended {
            state = .suspended
            return nil
        }
        if isTooEarly(policy, now) {
            state = .retrying
            return nil
        }
        state = .following
        // What is to wait later has to begin with that, so that nothing leaves beside it then.
        let waits = isAsleep || situation.dozesWhenIdle
        return .start(waits ? .traffic : when)
    }

    /// Whether the next try, or the limit of starts, is still to come.
    private mutating func isTooEarly(_ policy: RetryPolicy, _ now: Timestamp) -> Bool {
        let limit = policy.startLimit(starts, now: now)
        guard let next = [nextTry, limit].compactMap({ $0 }).max(), next > now else {
            nextTry = nil
            return false
        }
        // No pause is as long: the clock has been set back.
        guard next <= now.advanced(milliseconds: policy.longestWait) else {
            nextTry = nil
            return false
        }
        nextTry = next
        return true
    }
}
