package import JSON
internal import TunnelModel

extension RuleEvaluation {
    /// What is decided; `nil` as long as a probe is missing.
    package var decision: RuleDecision? {
        if case .decided(let decision) = outcome { decision } else { nil }
    }
}

extension RuleDecision: JSONEncodable {
    /// Reads what `write(to:)` writes of a decision on a network.
    init(_ node: JSONNode) throws(JSONError) {
        var reader = try JSONObjectReader(node)
        let rule = try reader.optionalInteger("rule", in: 1...Int.max)
        self.init(
            basis: rule.map { .rule($0 - 1) } ?? .noRuleMatches,
            action: try reader.choice("action", default: nil),
            when: try reader.choice("when", default: nil),
            reason: try reader.string("reason"))
    }

    package func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("action", action.rawValue)
            writer.member("when", when.rawValue)
            // As in the reason, and unlike the paths of keys, rules are counted from 1.
            writer.member("rule", rule.map { $0 + 1 })
            writer.member("reason", reason)
        }
    }
}

extension EvaluatedRule: JSONEncodable {
    package func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("action", action.rawValue)
            writer.member("when", when.rawValue)
            writer.member("matching", matching.rawValue)
            writer.member("matched", matched)
            writer.member("conditions", conditions)
        }
    }
}

extension EvaluatedCondition: JSONEncodable {
    package func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("name", name.rawValue)
            writer.member("wanted", wanted)
            writer.member("seen", seen)
            writer.member("matched", matched)
        }
    }
}
