internal import LinuxSystem
internal import OnDemand
internal import Preferences
internal import SessionHost
internal import TunnelModel

// From what there is to what is done.

extension OnDemandService {
    /// How long session hosts may take to say whether their tunnels wait for traffic.
    private static let answerMilliseconds: Int64 = 300

    /// Takes what was seen of the network; all tunnels are to hear where it is another one, as it
    /// may be after a sleep, whatever it looks like.
    func note(_ seen: NetworkSnapshot, hasWoken: Bool) {
        if let known = record.network, known.isSameNetwork(as: seen), !hasWoken { return }
        if record.network != nil { unaware.formUnion(record.entries.map(\.identifier)) }
        record.network = seen
        probes = nil
    }

    /// Goes on with each tunnel, and writes down how On Demand stands to it.
    func decide(_ armed: [Configuration]) {
        let former = record
        let known = Dictionary(record.entries.map { ($0.identifier, $0) }) { $1 }
        let network = record.network ?? NetworkSnapshot(time: .now)
        let isPaused = OnDemandPause(context.layout).read() != nil
        let sessions = sessions(armed)
        resumed.formUnion(files.takeRequestedTries())
        var commands: [OnDemandCommand] = []
        record.entries = armed.map { configuration in
            let identifier = configuration.identifier
            let former = known[identifier]
            var entry = former ?? newEntry(configuration, sessions[identifier])
            // What is under way comes to its end first; that is the next turn.
            guard running[identifier] == nil else { return entry }
            let outcome = configuration.onDemand.evaluate(on: network).outcome
            if case .needsProbe(let url, _) = outcome { probe(url) }
            let situation = situation(configuration, sessions[identifier], isPaused: isPaused)
            let step = entry.turn(outcome, situation, policy, now: .now, jitter: Self.jitter)
            if isNews(entry, after: former) { tell(entry, of: configuration.name) }
            if let step {
                commands.append(
                    OnDemandCommand(
                        step: step, identifier: identifier, name: configuration.name,
                        reason: entry.decision?.reason ?? ""))
            }
            return entry
        }
        let present = Set(armed.map(\.identifier))
        unaware.formIntersection(present)
        resumed.formIntersection(present)
        if record != former || isUnwritten { writeDown() }
        run(commands)
        armAlarm()
    }

    /// Writes down what is known; the next turn tries again where that fails.
    func writeDown() {
        do throws(SystemError) {
            try files.write(record)
            isUnwritten = false
        } catch {
            isUnwritten = true
            complain(error.text)
        }
    }

    // The first time nothing counts that was before: neither how a session ended, nor what the
    // rules may have said when a person started one.
    private func newEntry(
        _ configuration: Configuration,
        _ session: OnDemandSituation.Session?
    ) -> OnDemandEntry {
        let started = session.flatMap { $0.origin == .ondemand ? nil : $0.started }
        var entry = OnDemandEntry(
            identifier: configuration.identifier, generation: configuration.generation,
            since: started ?? .now)
        entry.countedAttempt = lastEnd(of: configuration)?.attempt
        return entry
    }

    private func situation(
        _ configuration: Configuration,
        _ session: OnDemandSituation.Session?,
        isPaused: Bool
    ) -> OnDemandSituation {
        var situation = OnDemandSituation(configuration)
        situation.isHeld = context.directory(of: configuration.identifier).hold() != nil
        situation.isPaused = isPaused
        situation.isResumed = resumed.remove(configuration.identifier) != nil
        situation.networkChanged = unaware.remove(configuration.identifier) != nil
        situation.session = session
        if session == nil { situation.end = lastEnd(of: configuration) }
        return situation
    }

    /// The sessions that live; all hosts that may say that they wait are asked at once.
    private func sessions(_ armed: [Configuration]) -> [String: OnDemandSituation.Session] {
        var records: [String: SessionRecord?] = [:]
        var hosts = HostQuestions(context.layout)
        for configuration in armed {
            let directory = context.directory(of: configuration.identifier)
            // A lock that cannot be looked at may be held.
            guard (try? directory.lockIsHeld()) ?? true else { continue }
            let record = directory.record()
            records[configuration.identifier] = .some(record)
            if record?.waitsForTraffic == true { hosts.ask(configuration.identifier) }
        }
        hosts.collect(until: .after(milliseconds: Self.answerMilliseconds))
        return Dictionary(
            uniqueKeysWithValues: records.map { identifier, record in
                let session = OnDemandSituation.Session(
                    origin: record?.origin ?? .user, attempt: record?.attempt ?? "",
                    started: record?.started ?? .now,
                    isWaiting: hosts.answers[identifier]?.report?.status == .waiting)
                return (identifier, session)
            })
    }

    private func lastEnd(of configuration: Configuration) -> OnDemandSituation.End? {
        guard let record = context.directory(of: configuration.identifier).record() else {
            return nil
        }
        let last = record.lastDisconnect
        return OnDemandSituation.End(
            attempt: record.attempt, origin: record.origin, reason: last.reason,
            lifeMilliseconds: last.time.map {
                ($0.microseconds - record.started.microseconds) / 1000
            })
    }

    static var jitter: Double {
        Double(Random.bytes(1).first ?? 0) / Double(UInt8.max)
    }

    /// Whether there is something to tell: that a probe was made is not.
    private func isNews(_ next: OnDemandEntry, after former: OnDemandEntry?) -> Bool {
        guard next.state != .probing, next.decision == former?.decision else {
            return next.state != .probing
        }
        return next.state != former?.state
            && !(former?.state == .probing && next.state == .following)
    }

    private func tell(_ entry: OnDemandEntry, of name: String) {
        let text =
            switch entry.state {
            case .held, .paused: entry.state.rawValue
            default: OnDemandReport(entry).text(name: name)
            }
        context.output.note("\(name): \(text)")
    }

    /// Wakes up when the first tunnel is to be tried again.
    private func armAlarm() {
        loop.cancel(alarm)
        alarm = nil
        // What was due by now has had its turn.
        let now = Timestamp.now
        guard let next = record.entries.compactMap(\.nextTry).filter({ $0 > now }).min() else {
            return
        }
        let left = (next.microseconds - now.microseconds + 999) / 1000
        // A clock that is set back is no reason to wait longer than ever.
        let pause = min(left, policy.longestMilliseconds)
        alarm = loop.schedule(milliseconds: pause) { [weak self] in self?.turn() }
    }
}
