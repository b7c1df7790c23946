package import TunnelModel

/// What the rules of one configuration come to on a network, and why.
package struct RuleEvaluation: Equatable, Sendable {
    /// What comes of the rules.
    package enum Outcome: Equatable, Sendable {
        case decided(RuleDecision)
        /// Rule `rule` (counted from 0) matches but for its probe, which was not made yet.
        case needsProbe(url: String, rule: Int)
    }

    /// Every rule, those after the one that decides included.
    package let rules: [EvaluatedRule]
    package let outcome: Outcome
}

/// What is to be done with a tunnel on a network.
package struct RuleDecision: Equatable, Sendable {
    /// What a decision rests on.
    package enum Basis: Equatable, Sendable {
        /// The rule with this index matches.
        case rule(Int)
        case noRuleMatches
        /// There is no network, and no rule is looked at.
        case noNetwork
    }

    package let basis: Basis
    /// `connect`, `disconnect` or `ignore`.
    package let action: OnDemandRule.Action
    /// When to connect.
    package let when: OnDemandRule.Moment
    /// The decision and its reason, for people.
    package let reason: String

    package init(
        basis: Basis,
        action: OnDemandRule.Action,
        when: OnDemandRule.Moment,
        reason: String
    ) {
        self.basis = basis
        self.action = action
        self.when = when
        self.reason = reason
    }

    /// Whether both want the same, whatever for.
    func wantsTheSame(as other: RuleDecision) -> Bool {
        action == other.action && when == other.when
    }

    /// The rule that decides, counted from 0.
    package var rule: Int? {
        if case .rule(let index) = basis { index } else { nil }
    }
}

/// One rule held against a network.
package struct EvaluatedRule: Equatable, Sendable {
    package let action: OnDemandRule.Action
    package let when: OnDemandRule.Moment
    package let matching: OnDemandRule.Matching
    package var conditions: [EvaluatedCondition]
    /// Whether it matches; `nil` where it was not looked at, or waits for its probe.
    package var matched: Bool?
}

/// One condition of a rule held against a network.
package struct EvaluatedCondition: Equatable, Sendable {
    /// The key of the rule.
    package let name: Name
    /// What the rule asks for.
    package let wanted: [String]
    /// What the network has; empty where it was not looked at as well.
    package var seen: [String]
    /// Whether it holds; `nil` where it was not looked at.
    package var matched: Bool?

    /// The keys of conditions, in the order in which they are looked at.
    package enum Name: String, CaseIterable, Sendable {
        case interfaceType, ssid, dnsSearchDomain, dnsServerAddress, gatewayAddress, probeURL
    }
}
