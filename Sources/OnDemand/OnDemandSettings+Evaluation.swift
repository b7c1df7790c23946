package import TunnelModel

extension OnDemandSettings {
    /// Holds the rules against a network: the first whose conditions all match decides.
    package func evaluate(on network: NetworkSnapshot) -> RuleEvaluation {
        guard let link = network.underlying else {
            return RuleEvaluation(
                rules: rules.map { EvaluatedRule($0) },
                outcome: .decided(
                    RuleDecision(
                        basis: .noNetwork, action: .ignore, when: .now,
                        reason: "no network: no rule is looked at")))
        }
        let view = NetworkView(network, link)
        var evaluated: [EvaluatedRule] = []
        evaluated.reserveCapacity(rules.count)
        var outcome: RuleEvaluation.Outcome?
        for (index, rule) in rules.enumerated() {
            guard outcome == nil else {
                evaluated.append(EvaluatedRule(rule))
                continue
            }
            let result = view.evaluate(rule)
            evaluated.append(result)
            if result.matched == true {
                outcome = .decided(rule.decision(at: index, result))
            } else if result.matched == nil, let url = rule.probeURL {
                outcome = .needsProbe(url: url, rule: index)
            }
        }
        return RuleEvaluation(
            rules: evaluated,
            outcome: outcome
                ?? .decided(
                    RuleDecision(
                        basis: .noRuleMatches, action: .ignore, when: .now,
                        reason: rules.isEmpty
                            ? "there are no rules: nothing is done"
                            : "no rule matches: nothing is done")))
    }
}

extension OnDemandRule {
    fileprivate func decision(at index: Int, _ result: EvaluatedRule) -> RuleDecision {
        let conditions = result.conditions.map(\.text)
        let reason = conditions.isEmpty ? "on every network" : "as \(conditions.inWords)"
        // A document of an earlier version may still have such a rule; none is saved any more.
        let isKnown = action != .evaluateConnection
        let does =
            switch (action, when) {
            case (.connect, .traffic): "connect on traffic"
            case (.evaluateConnection, _): "ignore instead of evaluateConnection"
            default: action.rawValue
            }
        return RuleDecision(
            basis: .rule(index), action: isKnown ? action : .ignore, when: when,
            reason: "rule \(index + 1): \(does), \(reason)")
    }
}

extension EvaluatedCondition {
    /// The condition and what was seen, for people.
    fileprivate var text: String {
        guard name != .probeURL else { return "the probe of \(wanted.inWords) was answered" }
        return "\(name.rawValue) is \(seen.inWords)"
    }
}

extension [String] {
    /// The elements as a list for people: `a, b and c`.
    fileprivate var inWords: String {
        guard count > 1, let last else { return first ?? "none" }
        return "\(dropLast().joined(separator: ", ")) and \(last)"
    }
}
