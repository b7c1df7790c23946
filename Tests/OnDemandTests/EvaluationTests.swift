import OnDemand
import Testing
import TunnelModel

/// Which rule decides, what is looked at, and what is said about it.
@Suite struct EvaluationTests {
    private let probe = "https://intranet.example.com/"

    private func settings(_ rules: [OnDemandRule]) -> OnDemandSettings {
        var settings = OnDemandSettings()
        settings.rules = rules
        return settings
    }

    private func rule(
        _ action: OnDemandRule.Action, _ change: (inout OnDemandRule) -> Void = { _ in }
    ) -> OnDemandRule {
        var rule = OnDemandRule(action)
        change(&rule)
        return rule
    }

    @Test("the first rule that matches decides, and none after it is looked at")
    func firstMatchDecides() {
        let evaluation = settings([
            rule(.connect) { $0.interfaceType = .wifi },
            rule(.disconnect) { $0.interfaceType = .ethernet },
            rule(.connect) { $0.interfaceType = .ethernet },
        ]).evaluate(on: Networks.home)
        #expect(evaluation.rules.map(\.matched) == [false, true, nil])
        #expect(evaluation.rules[2].conditions.map(\.matched) == [nil])
        #expect(evaluation.decision?.rule == 1)
        #expect(evaluation.decision?.action == .disconnect)
        #expect(
            evaluation.decision?.reason == "rule 2: disconnect, as interfaceType is ethernet")
    }

    @Test("after a condition that does not hold no other of the rule is looked at")
    func conditionsAreShort() {
        let evaluation = settings([
            rule(.connect) {
                $0.interfaceType = .wifi
                $0.ssid = ["Café"]
                $0.probeURL = probe
            }
        ]).evaluate(on: Networks.home)
        #expect(evaluation.rules[0].conditions.map(\.matched) == [false, nil, nil])
        #expect(evaluation.rules[0].conditions.map(\.seen) == [["ethernet"], [], []])
    }

    @Test("no rule that matches is ignore, and says so")
    func nothingMatches() {
        let rules = [rule(.connect) { $0.ssid = ["x"] }]
        let decision = settings(rules).evaluate(on: Networks.home).decision
        #expect(decision?.basis == .noRuleMatches)
        #expect(decision?.action == .ignore)
        #expect(decision?.reason == "no rule matches: nothing is done")
        let none = settings([]).evaluate(on: Networks.home).decision
        #expect(none?.reason == "there are no rules: nothing is done")
    }

    @Test("without a network no rule is looked at, not even one that matches everywhere")
    func noNetwork() {
        var network = Networks.home
        network.underlying = nil
        let evaluation = settings([rule(.disconnect)]).evaluate(on: network)
        #expect(evaluation.rules.map(\.matched) == [nil])
        #expect(evaluation.decision?.basis == .noNetwork)
        #expect(evaluation.decision?.reason == "no network: no rule is looked at")
    }

    @Test("a reason names every condition with what was seen")
    func reasonOfSeveral() {
        let decision = settings([
            rule(.connect) {
                $0.interfaceType = .wifi
                $0.ssid = ["Café"]
                $0.when = .traffic
            }
        ]).evaluate(on: Networks.cafe).decision
        #expect(
            decision?.reason
                == "rule 1: connect on traffic, as interfaceType is wifi and ssid is Café")
        #expect(decision?.when == .traffic)
        let everywhere = settings([rule(.connect)]).evaluate(on: Networks.cafe).decision
        #expect(everywhere?.reason == "rule 1: connect, on every network")
    }

    @Test("a rule of an earlier version that evaluates connections does nothing in its place")
    func storedEvaluateConnection() {
        let decision = settings([rule(.evaluateConnection), rule(.connect)])
            .evaluate(on: Networks.home).decision
        #expect(decision?.action == .ignore)
        #expect(decision?.rule == 0)
    }

    // MARK: Probes

    @Test("a probe is asked for only when all else of its rule matches")
    func probeComesLast() {
        let elsewhere = settings([
            rule(.connect) {
                $0.probeURL = probe
                $0.gatewayAddress = ["10.9.9.9"]
            }
        ]).evaluate(on: Networks.office)
        #expect(elsewhere.decision?.basis == .noRuleMatches)
        let here = settings([
            rule(.connect) { $0.ssid = ["x"] },
            rule(.connect) {
                $0.probeURL = probe
                $0.gatewayAddress = ["10.1.0.1"]
            },
            rule(.disconnect),
        ]).evaluate(on: Networks.office)
        #expect(here.outcome == .needsProbe(url: probe, rule: 1))
        #expect(here.rules.map(\.matched) == [false, nil, nil])
    }

    @Test(
        "only 200 without a redirection is an answer",
        arguments: [
            (ProbeOutcome.status(200), true), (.status(204), false), (.status(302), false),
            (.status(404), false), (.failed("timed out"), false),
        ])
    func probeOutcome(outcome: ProbeOutcome, matches: Bool) {
        var network = Networks.office
        network.probes = [probe: outcome]
        let evaluation = settings([
            rule(.disconnect) { $0.probeURL = probe }, rule(.connect),
        ]).evaluate(on: network)
        #expect(evaluation.decision?.action == (matches ? .disconnect : .connect))
        #expect(evaluation.rules[0].conditions.last?.seen == [outcome.text])
    }

    @Test("the result of another URL does not count")
    func probeOfAnotherURL() {
        var network = Networks.office
        network.probes = ["https://intranet.example.com": .status(200)]
        let evaluation = settings([rule(.connect) { $0.probeURL = probe }]).evaluate(on: network)
        #expect(evaluation.outcome == .needsProbe(url: probe, rule: 0))
    }
}
