internal import LinuxSystem
internal import OnDemand
internal import Preferences
internal import SessionHost
internal import TunnelModel

// From what there is to what is done.

extension OnDemandService {
    /// How long a session host may take to say whether its tunnel waits for traffic.
    private static let answerMilliseconds: Int64 = 300

    /// Takes what was seen of the network; all tunnels are to hear where it is another one, as it
    /// may be after a sleep, whatever it looks like.
    func note(_ seen: NetworkSnapshot, hasWoken: Bool) {
        if let known = record.network, known.isSameNetwork(as: seen), !hasWoken { return }
        if record.network != nil { unaware.formUnion(record.entries.map(\.identifier)) }
        record.network = seen
        probes = [:]
    }

    /// Goes on with each tunnel, and writes down how On Demand stands to it.
    func decide(_ armed: [Configuration]) {
        let former = record
        let known = Dictionary(record.entries.map { ($0.identifier, $0) }) { $1 }
        let isPaused = OnDemandPause(context.layout).read() != nil
        resumed.formUnion(files.takeRequestedTries())
        var commands: [OnDemandCommand] = []
        record.entries = armed.map { configuration in
            let entry = known[configuration.identifier]
            // What is under way comes to its end first; that is the next turn.
            guard running[configuration.identifier] == nil else {
                return entry ?? self.entry(of: configuration)
            }
            var next = entry ?? self.entry(of: configuration)
            let action = next.turn(
                decision(for: configuration),
                situation(configuration, isPaused: isPaused), policy, now: .now,
                jitter: Self.jitter)
            if isNews(next, after: entry) { tell(next, of: configuration.name) }
            if let action {
                commands.append(
                    OnDemandCommand(
                        action: action, identifier: configuration.identifier,
                        name: configuration.name, reason: next.decision.reason))
            }
            return next
        }
        let present = Set(armed.map(\.identifier))
        probes = probes.filter { url, _ in isAsked(url, by: armed) }
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
    private func entry(of configuration: Configuration) -> OnDemandEntry {
        let directory = context.directory(of: configuration.identifier)
        let running = (try? directory.lockIsHeld()) == true ? directory.record() : nil
        let started = running.flatMap { $0.origin == .ondemand ? nil : $0.started }
        var entry = OnDemandEntry(
            identifier: configuration.identifier, generation: configuration.generation,
            decision: decision(for: configuration), since: started ?? .now)
        entry.countedAttempt = lastEnd(of: configuration)?.attempt
        return entry
    }

    private func decision(for configuration: Configuration) -> OnDemandDecision {
        guard let network = record.network else {
            return OnDemandDecision(.ignore, rule: nil, reason: "the network is not known yet")
        }
        let outcome = configuration.onDemand.evaluate(on: network).outcome
        if case .needsProbe(let url, _) = outcome { probe(url) }
        return OnDemandDecision(outcome)
    }

    private func situation(_ configuration: Configuration, isPaused: Bool) -> OnDemandSituation {
        let directory = context.directory(of: configuration.identifier)
        var situation = OnDemandSituation(configuration)
        situation.isHeld = directory.hold() != nil
        situation.isPaused = isPaused
        situation.isResumed = resumed.remove(configuration.identifier) != nil
        situation.networkChanged = unaware.remove(configuration.identifier) != nil
        // A lock that cannot be looked at may be held.
        if (try? directory.lockIsHeld()) ?? true {
            situation.session = session(directory)
        } else {
            situation.end = lastEnd(of: configuration)
        }
        return situation
    }

    private func session(_ directory: SessionDirectory) -> OnDemandSituation.Session {
        let record = directory.record()
        return OnDemandSituation.Session(
            origin: record?.origin ?? .user, attempt: record?.attempt ?? "",
            started: record?.started ?? .now,
            isWaiting: record?.waitsForTraffic == true && isWaiting(directory))
    }

    private func isWaiting(_ directory: SessionDirectory) -> Bool {
        do throws(SessionClient.Failure) {
            let client = try SessionClient(directory)
            try client.send(.status(networkNamespace: ""))
            let reply = client.receive(until: .after(milliseconds: Self.answerMilliseconds))
            guard case .reply(.status(let report)) = reply else { return false }
            return report.status == .waiting
        } catch {
            return false
        }
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
