import JSON
import Testing
import TunnelModel

/// What is wrong with rules of On Demand is said where they are saved.
@Suite struct OnDemandValidityTests {
    private func configuration(_ rules: String, enabled: Bool = false) throws -> Configuration {
        try Model.configuration(
            with: "\"onDemand\": {\"enabled\": \(enabled), \"rules\": [\(rules)]}")
    }

    static let faults: [(rule: String, text: String)] = [
        (
            #"{"action": "evaluateConnection"}"#,
            "action: evaluateConnection decides by the names of hosts, for which there is no hook"
                + " in the resolver: use connect, disconnect or ignore"
        ),
        (
            #"{"action": "ignore", "when": "traffic"}"#,
            "when: traffic goes with the action connect alone"
        ),
        (#"{"action": "connect", "ssid": ["a", ""]}"#, "ssid[1]: empty"),
        (
            #"{"action": "connect", "ssid": ["\#(String(repeating: "ü", count: 17))"]}"#,
            "ssid[0]: longer than 32 bytes"
        ),
        (
            #"{"action": "connect", "dnsSearchDomain": [""]}"#,
            "dnsSearchDomain[0]: not a domain, such as example.org"
        ),
        (
            #"{"action": "connect", "dnsSearchDomain": ["*.example.org"]}"#,
            #"dnsSearchDomain[0]: a wildcard needs "matching": "profile""#
        ),
        (
            #"{"action": "connect", "matching": "profile", "dnsSearchDomain": ["a.*.b"]}"#,
            "dnsSearchDomain[0]: not a domain, such as example.org or *.example.org"
        ),
        (
            #"{"action": "connect", "dnsServerAddress": ["192.0.2.1", "192.0.2"]}"#,
            "dnsServerAddress[1]: not an IP address"
        ),
        (
            #"{"action": "connect", "gatewayAddress": ["17.*"]}"#,
            #"gatewayAddress[0]: a wildcard needs "matching": "profile""#
        ),
        (
            #"{"action": "connect", "matching": "profile", "gatewayAddress": ["17.*.1.1"]}"#,
            "gatewayAddress[0]: not an IP address, nor one such as 17.*"
        ),
        (
            #"{"action": "connect", "matching": "profile", "dnsServerAddress": ["17*"]}"#,
            "dnsServerAddress[0]: not an IP address, nor one such as 17.*"
        ),
        (
            #"{"action": "connect", "probeURL": "ftp://example.org/"}"#,
            "probeURL: neither http:// nor https://"
        ),
        (
            #"{"action": "connect", "probeURL": "http://me@example.org/"}"#,
            "probeURL: a name or password before the host: a probe has none"
        ),
    ]

    @Test(arguments: faults)
    func aRuleThatCannotHoldIsRefusedByItsKey(rule: String, text: String) throws {
        let configuration = try configuration("{\"action\": \"disconnect\"}, \(rule)")
        #expect(configuration.onDemandError?.text == "onDemand.rules[1].\(text)")
    }

    @Test(arguments: [
        #"{"action": "disconnect", "ssid": ["\#(String(repeating: "ü", count: 16))"]}"#,
        #"{"action": "connect", "dnsSearchDomain": ["lan", "Example.ORG."]}"#,
        #"{"action": "connect", "dnsServerAddress": ["192.0.2.1", "2001:db8::1"]}"#,
        #"{"action": "connect", "matching": "profile", "dnsSearchDomain": ["*", "*.lan"]}"#,
        #"{"action": "ignore", "matching": "profile", "gatewayAddress": ["*", "fd00:*", "1.2.3.*"]}"#,
        #"{"action": "ignore", "probeURL": "HTTPS://[2001:db8::1]:8443/a?b#c"}"#,
    ])
    func aRuleThatCanHoldIsNotRefused(rule: String) throws {
        #expect(try configuration(rule).onDemandError == nil)
    }

    @Test func trafficIsTakenWhereAddressesAreKnown() throws {
        let known = try Model.configuration(
            with: """
                "providerConfiguration": {"addresses": ["192.0.2.1/32"]},
                "onDemand": {"rules": [{"action": "connect", "when": "traffic"}]}
                """)
        #expect(known.onDemandError == nil)
        var foreign = known
        foreign.provider = "org.example.thing"
        #expect(
            foreign.onDemandError?.text
                == "onDemand.rules[0].when: traffic needs addresses that are known before the"
                + " provider runs: providerConfiguration.addresses of a provider of utunctl")
    }

    static let urls: [(url: String, isGood: Bool)] = [
        ("http://example.org", true), ("http://192.0.2.1:80/", true), ("https://a", true),
        ("http://", false), ("http:///a", false), ("http://:80/", false), ("https//a", false),
        ("http://a:0/", false), ("http://a:65536/", false), ("http://a:/", false),
        ("http://a b/", false), ("http://a/\n", false), ("http://a/{b,c}", false),
        ("http://[::1]x/", false), ("http://[192.0.2.1]/", false), ("http://ä.example/", false),
        ("http://a:b@c/", false), ("http://a\\@b/", false), ("file:///etc/passwd", false),
        ("-K/etc/passwd", false),
    ]

    @Test(arguments: urls)
    func theURLOfAProbeIsOneOfHTTPWithAHost(url: String, isGood: Bool) {
        #expect((ProbeURL.problem(of: url) == nil) == isGood)
    }

    @Test func whatIsNeverLookedAtIsToldOf() throws {
        let rules = #"{"action": "ignore", "interfaceType": "any"}, {"action": "connect"}"#
        let notices = try configuration(rules, enabled: true).normalized().notices
        #expect(notices.map(\.code) == ["ruleUnreachable"])
        #expect(notices.first?.path == "onDemand.rules[1]")
        #expect(notices.first?.text == "never looked at, as rule 1 matches every network")
    }

    @Test func enabledWithoutRulesIsToldOf() throws {
        let notices = try configuration("", enabled: true).normalized().notices
        #expect(notices.map(\.code) == ["rulesMissing"])
        #expect(try configuration("").normalized().notices.isEmpty)
    }
}
