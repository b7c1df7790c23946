import Glibc
import JSON
import LinuxSystem
import TestSupport
import Testing

/// What rules see of the network below all tunnels, wherever the host is.
@Suite(
    .serialized,
    .enabled("\(PrivateNamespace.requirement)") { try PrivateNamespace.isPresent })
struct OnDemandExplainTests {
    private func rules(_ rules: String) -> String { "onDemand.rules=[\(rules)]" }

    @Test func eachNetworkIsSeenAsItIs() throws {
        let site = try NetworkSite()
        try site.installation.save(
            "office",
            rules(
                """
                {"action": "disconnect", "interfaceType": "ethernet", "dnsSearchDomain": ["LAN."]},
                {"action": "connect", "dnsServerAddress": ["10.1.0.53", "2001:db8:0::53"]}
                """))
        let home = try site.explain()
        #expect(
            try home["snapshot"]?.object?["underlying"]?.object
                == Installation.parse(
                    """
                    {"interface": "near0", "index": \(if_nametoindex("near0")),
                     "type": "ethernet", "gateways": ["192.0.2.2", "2001:db8:1::2"],
                     "ssid": null}
                    """))
        #expect(home["snapshot"]?.object?["dnsServers"] == .array([.string("192.168.1.1")]))
        #expect(home["snapshot"]?.object?["searchDomains"] == .array([.string("lan")]))
        #expect(
            try site.reason()
                == "rule 1: disconnect, as interfaceType is ethernet and dnsSearchDomain is lan")
        try site.move(to: .office)
        #expect(
            try site.reason()
                == "rule 2: connect, as dnsServerAddress is 10.1.0.53 and 2001:db8::53")
    }

    @Test func aFileSaysWhichWirelessNetworkALinkIsIn() throws {
        let site = try NetworkSite()
        try site.installation.save(
            "office",
            rules(#"{"action": "connect", "interfaceType": "wifi", "ssid": ["The Café"]}"#))
        let file = "\(site.installation.root)/ssid"
        let nothing = "no rule matches: nothing is done"
        // Before the file is there, no link is in any network.
        #expect(try site.reason("--ssid-file", file) == nothing)
        try site.installation.write("near1 The Café\nnear0\tThe Café\n", to: "ssid")
        #expect(
            try site.reason("--ssid-file", file)
                == "rule 1: connect, as interfaceType is wifi and ssid is The Café")
        try site.installation.write("near00 The Café\nnear0 the café\n", to: "ssid")
        #expect(try site.reason("--ssid-file", file) == nothing)
        #expect(try site.reason() == nothing)
    }

    @Test func aTunnelWithAllRoutesAndAResolverIsNotWhatRulesSee() throws {
        let site = try NetworkSite()
        try site.installation.save(
            "office", rules(#"{"action": "connect", "gatewayAddress": ["192.0.2.2"]}"#),
            #"providerConfiguration.addresses=["10.98.0.1/30","fd98::1/64"]"#,
            #"routing.includedRoutes=["0.0.0.0/0","::/0"]"#, #"dns.servers=["10.9.0.1"]"#,
            #"dns.searchDomains=["tunnel.example"]"#)
        let before = try site.explain()["snapshot"]?.object
        #expect(try site.installation.utunctl("start", "--wait", "office").status == 0)
        #expect(site.installation.read("etc/resolv.conf")?.contains("10.9.0.1") == true)
        let connected = try site.explain()["snapshot"]?.object
        for key in ["underlying", "dnsServers", "searchDomains"] {
            #expect(connected?[key] == before?[key], "\(key)")
        }
        #expect(connected?["dnsServers"] == .array([.string("192.168.1.1")]))
        // A default route of the tunnel's in the main table, with a metric that wins, is one of a
        // tunnel all the same.
        let interface = try #require(
            try site.installation.status("office").value("interface.name")?.string)
        try Kernel.ip("route", "replace", "default", "dev", interface, "metric", "0")
        try Kernel.ip(
            "route", "add", "default", "via", site.host.v4, "dev", "near0", "metric", "50")
        #expect(try site.reason()?.hasPrefix("rule 1: connect") == true)
    }

    @Test func withoutADefaultRouteThereIsNoNetwork() throws {
        let site = try NetworkSite()
        try site.installation.save("office", rules(#"{"action": "connect"}"#))
        for family in ["-4", "-6"] { try Kernel.ip(family, "route", "del", "default") }
        #expect(try site.explain()["snapshot"]?.object?["underlying"] == .null)
        #expect(try site.reason() == "no network: no rule is looked at")
    }

    @Test func theLowestMetricIsTheNetworkAndIPv4BeforeIPv6() throws {
        let site = try NetworkSite()
        let other = try FarHost(number: 3)
        try site.installation.save("office", rules(#"{"action": "connect"}"#))
        func interface() throws -> String? {
            try site.explain().value("snapshot.underlying.interface")?.string
        }
        try Kernel.ip(
            "route", "add", "default", "via", other.v4, "dev", other.interface, "metric", "10")
        #expect(try interface() == "near0")
        try Kernel.ip("-4", "route", "del", "default", "dev", "near0")
        #expect(try interface() == "near3")
        try Kernel.ip("link", "set", "near3", "down")
        #expect(try interface() == "near0")
    }

    // MARK: Probes

    private static let server = """
        import http.server, time
        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                if self.path == "/silent": time.sleep(60)
                status = int(self.path[1:])
                self.send_response(status)
                if status == 302: self.send_header("Location", "/200")
                self.send_header("Content-Length", "2")
                self.end_headers()
                self.wfile.write(b"ok")
            def log_message(self, *arguments): pass
        server = http.server.ThreadingHTTPServer(("", 8080), Handler)
        print("ready", flush=True)
        server.serve_forever()
        """

    @Test(arguments: [
        ("200", "HTTP 200", true), ("302", "HTTP 302", false), ("404", "HTTP 404", false),
    ])
    func aProbeIsAnsweredBy200Alone(path: String, seen: String, matches: Bool) throws {
        let site = try NetworkSite()
        let server = try site.host.place.daemon(["/usr/bin/python3", "-c", Self.server])
        defer { server.signal(SIGKILL) }
        _ = try server.output(until: "ready")
        let url = "http://\(site.host.v4):8080/\(path)"
        try site.installation.save(
            "office", rules(#"{"action": "disconnect", "probeURL": "\#(url)"}"#),
            rules(#"{"action": "disconnect", "probeURL": "\#(url)"}, {"action": "connect"}"#))
        let answer = try site.explain()
        #expect(
            answer.value("snapshot.probes")?.object?[url]?.object?["status"]
                == .integer(Int64(path) ?? 0))
        #expect(
            try site.reason()
                == (matches
                    ? "rule 1: disconnect, as the probe of \(url) was answered"
                    : "rule 2: connect, on every network"))
    }

    @Test func aProbeThatNobodyAnswersDoesNotMatch() throws {
        let site = try NetworkSite()
        let url = "http://\(site.host.v4):8080/200"
        try site.installation.save(
            "office",
            rules(#"{"action": "disconnect", "probeURL": "\#(url)"}, {"action": "connect"}"#))
        #expect(try site.reason() == "rule 2: connect, on every network")
        let probe = try site.explain().value("snapshot.probes")?.object?[url]?.object
        #expect(probe?["status"] == .null)
        #expect(probe?["problem"]?.string?.isEmpty == false)
    }

    @Test func aProbeLeavesByNoTunnel() throws {
        let site = try NetworkSite()
        let server = try site.host.place.daemon(["/usr/bin/python3", "-c", Self.server])
        defer { server.signal(SIGKILL) }
        _ = try server.output(until: "ready")
        let url = "http://\(site.host.v4):8080/200"
        try site.installation.save(
            "office", rules(#"{"action": "connect", "probeURL": "\#(url)"}"#),
            #"providerConfiguration.addresses=["10.98.0.1/30"]"#,
            #"routing.includedRoutes=["0.0.0.0/0","192.0.2.2/32"]"#)
        #expect(try site.installation.utunctl("start", "--wait", "office").status == 0)
        #expect(
            try site.reason() == "rule 1: connect, as the probe of \(url) was answered")
    }

    @Test func aProbeIsMadeOnlyWhereItDecides() throws {
        let site = try NetworkSite()
        let url = "http://\(site.host.v4):8080/200"
        try site.installation.save(
            "office",
            rules(
                """
                {"action": "disconnect", "interfaceType": "cellular", "probeURL": "\(url)"},
                {"action": "connect"}, {"action": "ignore", "probeURL": "\(url)"}
                """))
        #expect(try site.explain().value("snapshot.probes")?.object?.isEmpty == true)
    }
}
