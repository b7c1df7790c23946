import Testing
import TunnelModel

/// What systemd-resolved is told for a link, and how its answers are read.
@Suite struct ResolvedLinkTests {
    private func settings(_ change: (inout DNSSettings) -> Void) -> DNSSettings {
        var settings = DNSSettings()
        settings.servers = ["10.9.0.1", "fd00:9::1"].compactMap { IPAddress($0) }
        change(&settings)
        return settings
    }

    @Test(arguments: [
        ([], [], ["~."], "yes"), ([""], [], ["~."], "yes"),
        (["", "corp.example"], ["home.example"], ["home.example", "~."], "yes"),
        (["corp.example"], [], ["~corp.example"], "no"),
        (["corp.example", "x.org"], ["corp.example"], ["corp.example", "~x.org"], "no"),
    ])
    func domainsSayWhatTheServersAreAskedFor(
        match: [String],
        search: [String],
        domains: [String],
        isDefault: String
    ) {
        let link = ResolvedLink(
            settings {
                $0.matchDomains = match
                $0.searchDomains = search
            })
        #expect(
            link.commands(7) == [
                ["dns", "7", "10.9.0.1", "fd00:9::1"], ["domain", "7"] + domains,
                ["default-route", "7", isDefault],
            ])
        #expect(link.expectations.map(\.verb) == ["dns", "domain", "default-route"])
        #expect(link.expectations[1].values == domains)
    }

    @Test func overTLSIsSaidAndTakenBackAndElseLeftToTheHost() {
        let safe = ResolvedLink(settings { $0.tls = true })
        #expect(safe.commands(7).last == ["dnsovertls", "7", "yes"])
        #expect(safe.expectations.last?.values == ["yes"])
        let plain = ResolvedLink(settings { _ in })
        #expect(plain.commands(7).count == 3)
        #expect(plain.commands(7, resettingTLS: true).last == ["dnsovertls", "7", "no"])
    }

    @Test(arguments: [
        ("Link 7 (utun0): 10.9.0.1 fd00:9::1\n", ["10.9.0.1", "fd00:9::1"]),
        ("Link 7 (utun0):\n", []), ("Link 7 (a)b): ~.\n", ["~."]), ("", []), ("Link 7\n", []),
        ("Link 7 (utun0): 10.9.0.1\n              fd00:9::1\n", ["10.9.0.1", "fd00:9::1"]),
        ("Failed to resolve interface\n", []),
    ])
    func answersAreRead(text: String, values: [String]) {
        #expect(ResolvedLink.answers(in: text).values.first?.values ?? [] == values)
    }

    @Test(arguments: [
        ("dns", "Link 7 (u): 10.9.0.1 fd00:9:0:0::1", true),
        ("dns", "Link 7 (u): fd00:9::1 10.9.0.1", false), ("dns", "Link 7 (u):", false),
        ("dns", "Link 7 (u): 10.9.0.1", false),
        ("domain", "Link 7 (u): ~B.example A.Example.", true),
        ("domain", "Link 7 (u): a.example", false), ("domain", "Link 7 (u): ~.", false),
        ("default-route", "Link 7 (u): no", true), ("default-route", "Link 7 (u): yes", false),
    ])
    func anAnswerIsComparedByWhatItMeans(verb: String, text: String, isEqual: Bool) throws {
        let link = ResolvedLink(
            settings {
                $0.searchDomains = ["a.example"]
                $0.matchDomains = ["b.example"]
            })
        let expectation = try #require(link.expectations.first { $0.verb == verb })
        let difference = expectation.difference(from: text)
        #expect((difference == nil) == isEqual, "\(difference ?? "")")
        #expect(difference?.hasPrefix(verb) ?? true)
    }
}

@Suite struct ResolvedAnswersTests {
    @Test func answersAboutAllLinksAreTakenByTheirIndex() {
        let text = """
            Global: lost.example
                    too.example
            Link 2 (eth0): ~.
                           corp.example
            Link 7 (utun0): ~office.example
            Link 9 (a)b): yes
            Link x (y): no
            """
        let answers = ResolvedLink.answers(in: text)
        #expect(answers.keys.sorted() == [2, 7, 9])
        #expect(answers[2] == .init(name: "eth0", values: ["~.", "corp.example"]))
        #expect(answers[7] == .init(name: "utun0", values: ["~office.example"]))
        #expect(answers[9] == .init(name: "a)b", values: ["yes"]))
    }

    @Test func whatIsOfTheWholeHostIsOfNoLink() {
        let text = """
            Global: 192.0.2.1 192.0.2.2
                    192.0.2.3
            Link 2 (eth0): 192.0.2.9
            """
        #expect(
            ResolvedLink.globalValues(in: text) == ["192.0.2.1", "192.0.2.2", "192.0.2.3"])
        #expect(ResolvedLink.globalValues(in: "Link 2 (eth0): 192.0.2.9\n") == [])
    }

    @Test(arguments: [
        ("192.0.2.1", "192.0.2.1"), ("192.0.2.1#dns.example", "192.0.2.1"),
        ("192.0.2.1:5353%eth0#dns.example", "192.0.2.1"), ("fe80::1%eth0", "fe80::1"),
        ("[fe80::1]:5353%eth0", "fe80::1"), ("x", nil),
    ])
    func aServerIsKnownByItsAddress(text: String, address: String?) {
        #expect(ResolvedLink.server(text)?.description == address)
    }
}
