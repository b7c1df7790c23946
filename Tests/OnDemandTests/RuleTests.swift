import OnDemand
import Testing
import TunnelModel

/// The published semantics of NetworkExtension's rules, and of the rules of a profile.
@Suite struct RuleTests {
    /// One rule on one network.
    struct Case: CustomTestStringConvertible {
        let proves: String
        let matches: Bool
        let network: NetworkSnapshot
        let change: @Sendable (inout OnDemandRule) -> Void

        init(
            _ proves: String,
            _ matches: Bool,
            _ network: NetworkSnapshot,
            _ change: @escaping @Sendable (inout OnDemandRule) -> Void
        ) {
            self.proves = proves
            self.matches = matches
            self.network = network
            self.change = change
        }

        var testDescription: String { proves }
    }

    static let exact: [Case] = [
        Case("a rule without conditions matches", true, Networks.home) { _ in },
        Case("any interface matches a cable", true, Networks.home) { $0.interfaceType = .any },
        Case(
            "any interface matches what is none of the kinds", true, Networks.network(.other)
        ) { $0.interfaceType = .any },
        Case("ethernet matches a cable", true, Networks.home) { $0.interfaceType = .ethernet },
        Case("ethernet does not match a tunnel's PPP", false, Networks.network(.other)) {
            $0.interfaceType = .ethernet
        },
        Case("wifi does not match a cable", false, Networks.home) { $0.interfaceType = .wifi },
        Case("cellular matches a mobile network", true, Networks.network(.cellular)) {
            $0.interfaceType = .cellular
        },
        Case("an SSID matches any of several", true, Networks.cafe) { $0.ssid = ["x", "Café"] },
        Case("an SSID does not match on a cable", false, Networks.home) { $0.ssid = ["Café"] },
        Case("an SSID is compared with its case", false, Networks.cafe) { $0.ssid = ["café"] },
        Case("an SSID is bytes, not letters", false, Networks.cafe) {
            $0.ssid = ["Cafe\u{301}"]
        },
        Case("a wildcard in an SSID is a character", false, Networks.cafe) { $0.ssid = ["*"] },
        Case("the default search domain matches", true, Networks.office) {
            $0.dnsSearchDomain = ["corp.example.com"]
        },
        Case("a search domain that is not the default does not match", false, Networks.office) {
            $0.dnsSearchDomain = ["example.com"]
        },
        Case("domains have no case, and a dot at their end or none", true, Networks.office) {
            $0.dnsSearchDomain = ["CORP.Example.COM."]
        },
        Case("without search domains no domain matches", false, Networks.cafe) {
            $0.dnsSearchDomain = ["lan"]
        },
        Case("a wildcard of domains is none in exact matching", false, Networks.office) {
            $0.dnsSearchDomain = ["*.example.com"]
        },
        Case("each of the servers is in the list", true, Networks.office) {
            $0.dnsServerAddress = ["10.9.9.9", "2001:db8::53", "10.1.0.53"]
        },
        Case("one of the servers is not in the list", false, Networks.office) {
            $0.dnsServerAddress = ["10.1.0.53"]
        },
        Case("an address is a value, not a text", true, Networks.office) {
            $0.dnsServerAddress = ["2001:DB8:0:0::53", "10.1.0.53"]
        },
        Case("no server at all never matches", false, Networks.network(.ethernet)) {
            $0.dnsServerAddress = ["10.1.0.53"]
        },
        Case("a wildcard of addresses is none in exact matching", false, Networks.home) {
            $0.dnsServerAddress = ["192.*"]
        },
        Case("one of the gateways is enough", true, Networks.office) {
            $0.gatewayAddress = ["fe80::1"]
        },
        Case("no gateway never matches", false, Networks.network(.cellular)) {
            $0.gatewayAddress = ["10.1.0.1"]
        },
        Case("all conditions together", true, Networks.office) {
            $0.interfaceType = .ethernet
            $0.dnsSearchDomain = ["corp.example.com"]
            $0.gatewayAddress = ["10.1.0.1"]
        },
        Case("all conditions but one", false, Networks.office) {
            $0.interfaceType = .ethernet
            $0.dnsSearchDomain = ["corp.example.com"]
            $0.gatewayAddress = ["10.1.0.2"]
        },
    ]

    static let profile: [Case] = [
        Case("any of the search domains matches", true, Networks.office) {
            $0.dnsSearchDomain = ["example.com"]
        },
        Case("a wildcard matches below its domain", true, Networks.office) {
            $0.dnsSearchDomain = ["*.example.com"]
        },
        Case("a wildcard covers several labels", true, Networks.office) {
            $0.dnsSearchDomain = ["*.com"]
        },
        Case("a wildcard does not match the domain itself", false, Networks.home) {
            $0.dnsSearchDomain = ["*.lan"]
        },
        Case(
            "a wildcard ends at a dot", false,
            Networks.network(.ethernet, domains: ["bad-example.com"])
        ) { $0.dnsSearchDomain = ["*.example.com"] },
        Case("a star alone matches any search domain", true, Networks.home) {
            $0.dnsSearchDomain = ["*"]
        },
        Case("a star alone needs a search domain", false, Networks.cafe) {
            $0.dnsSearchDomain = ["*"]
        },
        Case("any of the servers matches", true, Networks.office) {
            $0.dnsServerAddress = ["10.1.0.53"]
        },
        Case("a wildcard matches a server of its network", true, Networks.office) {
            $0.dnsServerAddress = ["10.*"]
        },
        Case("a wildcard matches whole numbers alone", false, Networks.office) {
            $0.dnsServerAddress = ["1.*"]
        },
        Case("a wildcard matches a server of IPv6", true, Networks.office) {
            $0.dnsServerAddress = ["2001:0DB8:*"]
        },
        Case("a server of another network does not match", false, Networks.cafe) {
            $0.dnsServerAddress = ["17.*", "192.168.*"]
        },
        Case("no server at all never matches", false, Networks.network(.wifi)) {
            $0.dnsServerAddress = ["*"]
        },
        Case("a wildcard matches a gateway", true, Networks.home) {
            $0.gatewayAddress = ["192.168.*"]
        },
        Case("an SSID has no wildcards", false, Networks.cafe) { $0.ssid = ["Caf*"] },
    ]

    private func evaluate(_ item: Case, _ matching: OnDemandRule.Matching) -> RuleEvaluation {
        var rule = OnDemandRule(.connect)
        rule.matching = matching
        item.change(&rule)
        var settings = OnDemandSettings()
        settings.rules = [rule]
        return settings.evaluate(on: item.network)
    }

    @Test("exact", arguments: exact)
    func matchesAsTheInterfaceSays(item: Case) {
        let evaluation = evaluate(item, .exact)
        #expect(evaluation.rules.first?.matched == item.matches)
        #expect(evaluation.decision?.action == (item.matches ? .connect : .ignore))
    }

    @Test("profile", arguments: profile)
    func matchesAsTheProfileSays(item: Case) {
        let evaluation = evaluate(item, .profile)
        #expect(evaluation.rules.first?.matched == item.matches)
    }
}
