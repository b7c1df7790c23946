package import TunnelModel

extension OnDemandReport {
    /// What a status shows of an entry.
    package init(_ entry: OnDemandEntry) {
        self.init(entry.state)
        failures = entry.failures
        failure = entry.failure
        nextTry = entry.nextTry
        guard entry.state != .noNetwork else { return }
        action = entry.decision.action
        rule = entry.decision.rule.map { $0 + 1 }
        when = entry.decision.action == .connect ? entry.decision.when : nil
        reason = entry.decision.reason
        since = entry.since
    }
}
