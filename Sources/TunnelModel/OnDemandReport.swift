package import JSON

/// How On Demand stands to a tunnel, as `status --json` shows it.
package struct OnDemandReport: Equatable, Sendable {
    package var state: OnDemandState
    /// What its rules say; `nil` where nobody has looked yet.
    package var action: OnDemandRule.Action?
    /// The rule that says so, counted from 1 as in `reason`; `nil` where none matches.
    package var rule: Int?
    package var when: OnDemandRule.Moment?
    /// Why, in words.
    package var reason: String?
    /// Since when the rules say that.
    package var since: Timestamp?
    /// How often in a row it has failed, and why the last time.
    package var failures = 0
    package var failure: String?
    /// When it is tried again.
    package var nextTry: Timestamp?

    package init(_ state: OnDemandState) {
        self.state = state
    }

    /// How it stands, for people; `name` is that of the tunnel.
    package func text(name: String) -> String {
        let rules = reason ?? "its rules have not been looked at yet"
        switch state {
        case .notRunning:
            return "no service follows its rules:"
                + " systemctl enable --now utunctl-ondemand.service"
        case .paused: return "paused for all: utunctl ondemand resume"
        case .held: return "left alone, whatever its rules say (\(rules))"
        case .noNetwork: return "no network: no rule is looked at"
        case .following, .probing: return rules
        case .overruled:
            return "started by hand, and left alone until the network changes (\(rules))"
        case .idle: return "ended for want of traffic, until the network changes (\(rules))"
        case .retrying:
            let next = nextTry.map { "next try \($0.text)" } ?? "tried again later"
            guard failures > 0 else { return "not for now: \(next)" }
            return "\(failuresText); \(next)"
        case .suspended:
            return "suspended after \(failuresText): utunctl ondemand resume \(name)"
        }
    }

    private var failuresText: String {
        "\(failures) failure\(failures == 1 ? "" : "s")" + (failure.map { " (\($0))" } ?? "")
    }
}

extension OnDemandReport: JSONEncodable {
    package func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("state", state.rawValue)
            writer.member("action", action?.rawValue)
            writer.member("rule", rule)
            writer.member("when", when?.rawValue)
            writer.member("reason", reason)
            writer.member("since", since)
            writer.member("failures", failures)
            writer.member("failure", failure)
            writer.member("nextTry", nextTry)
        }
    }
}
