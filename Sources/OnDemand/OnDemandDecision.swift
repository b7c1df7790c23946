package import TunnelModel

/// What the rules of a tunnel say on the network that is there, as far as it is known.
package struct OnDemandDecision: Equatable, Sendable {
    /// What is to be done; `nil` while a probe is under way.
    package var action: OnDemandRule.Action?
    /// The rule that says so, from 0; `nil` where none matches.
    package var rule: Int?
    package var when: OnDemandRule.Moment
    /// Why, in words.
    package var reason: String
    /// Whether there is a network at all, to hold rules against.
    package var hasNetwork = true

    package init(
        _ action: OnDemandRule.Action?,
        rule: Int?,
        when: OnDemandRule.Moment = .now,
        reason: String
    ) {
        self.action = action
        self.rule = rule
        self.when = when
        self.reason = reason
    }

    /// The decision of an evaluation.
    package init(_ outcome: RuleEvaluation.Outcome) {
        switch outcome {
        case .decided(let decision):
            self.init(
                decision.action, rule: decision.rule, when: decision.when, reason: decision.reason)
            hasNetwork = decision.basis != .noNetwork
        case .needsProbe(let url, let rule):
            self.init(nil, rule: rule, reason: "rule \(rule + 1): waits for the probe of \(url)")
        }
    }

    /// Whether both want the same, whatever for.
    func wantsTheSame(as other: OnDemandDecision) -> Bool {
        action == other.action && when == other.when
    }
}
