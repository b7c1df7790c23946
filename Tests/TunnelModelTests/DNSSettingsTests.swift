import JSON
import Testing
import TunnelModel

@Suite struct DNSSettingsTests {
    @Test(arguments: [
        "example.org", "example.org.", "x", "_tcp.example.org", "xn--bcher-kva.example", "1.x",
        String(repeating: "a", count: 63),
    ])
    func domains(text: String) {
        #expect(DNSSettings.problem(ofDomain: text) == nil)
    }

    @Test(arguments: [
        "", ".", "..", ".example.org", "a..b", "-a.example", "a b", "a\nnameserver 192.0.2.1",
        "~corp", "bücher.example", "a#b", "a;b", String(repeating: "a", count: 64),
        Array(repeating: "abcdefgh", count: 29).joined(separator: "."), "--help", "10.9.0", "7",
        "example.7.",
    ])
    func whatIsNoDomain(text: String) {
        #expect(DNSSettings.problem(ofDomain: text) != nil)
    }

    @Test(arguments: [
        ("\"servers\": [\"0.0.0.0\"]", "dns.servers[0]: 0.0.0.0 is no address of a server"),
        ("\"servers\": [\"192.0.2.1\", \"ff02::1\"]", "dns.servers[1]: ff02::1 is no address"),
        ("\"searchDomains\": [\"\"]", "dns.searchDomains[0]: not the name of a domain"),
        ("\"matchDomains\": [\"\", \"a b\"]", "dns.matchDomains[1]: not the name of a domain"),
        (
            "\"servers\": [\((1...17).map { "\"192.0.2.\($0)\"" }.joined(separator: ","))]",
            "dns.servers: more than 16"
        ),
    ])
    func whatIsNotTaken(members: String, problem: String) {
        let error = #expect(throws: JSONError.self) {
            try Model.configuration(with: "\"dns\": {\(members)}")
        }
        #expect(error?.text.contains(problem) == true, "\(error?.text ?? "")")
    }

    @Test func theSameTwiceIsOnce() throws {
        let dns = try Model.configuration(
            with: """
                "dns": {"servers": ["192.0.2.1", "192.0.2.1"], "searchDomains": ["a", "b", "a"]}
                """
        ).dns
        #expect(dns.servers.count == 1)
        #expect(dns.searchDomains == ["a", "b"])
    }
}
