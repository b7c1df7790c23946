package import TunnelModel

extension OnDemandReport {
    /// What a status shows of an entry.
    package init(_ entry: OnDemandEntry) {
        self.init(entry.state)
        failures = entry.failures
        failure = entry.failure
        nextTry = entry.nextTry
        guard entry.state != .noNetwork else { return }
        guard let decision = entry.decision else { return }
        action = decision.action
        rule = decision.rule.map { $0 + 1 }
        when = decision.action == .connect ? decision.when : nil
        reason = decision.reason
        since = entry.since
    }
}
