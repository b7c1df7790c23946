import Glibc
import JSON
import LinuxSystem
import TestSupport
import Testing

/// Server names: what is resolved, by whom, and what it looks like when it is not.
@Suite(
    .serialized,
    .enabled("\(PrivateNamespace.requirement)") { try PrivateNamespace.isPresent })
struct NameResolutionTests {
    private static let resolved = #"return {"resolved": start["resolved"]}"#

    private func site(server: String, _ look: String = resolved) throws -> Installation {
        let site = try Installation()
        try site.installProbe(look)
        try site.save("office", "provider=\(ProbeProvider.identifier)", "serverAddress=\(server)")
        return site
    }

    @Test func theProviderIsToldTheAddressesOfBothFamilies() throws {
        let site = try site(server: "vpn.example.org:51820")
        let names = try NameService(site, "vpn.example.org,192.0.2.7,2001:db8::7")
        let addresses = try site.report(ofStarted: "office").value("resolved")?.object
        #expect(addresses?.keys == ["vpn.example.org"])
        #expect(
            addresses?["vpn.example.org"]
                == .array([.string("192.0.2.7"), .string("2001:db8::7")]))
        _ = names
    }

    @Test func theHostsFileComesBeforeTheNameServer() throws {
        let site = try site(server: "vpn.example.org")
        let names = try NameService(site, "vpn.example.org,192.0.2.7")
        try site.write("192.0.2.8 other VPN.example.org # here\n", to: "etc/hosts")
        let report = try site.report(ofStarted: "office")
        #expect(
            report.value("resolved")?.object?["vpn.example.org"] == .array([.string("192.0.2.8")]))
        #expect(try !names.finish().contains("vpn.example.org"))
    }

    @Test(arguments: [
        ("192.0.2.9:443", "192.0.2.9"), ("[2001:db8::9]:443", "2001:db8::9"),
    ])
    func aLiteralAddressNeedsNoResolver(server: String, address: String) throws {
        let site = try site(server: server)
        try site.write("", to: "etc/resolv.conf")
        try site.write("", to: "etc/hosts")
        let report = try site.report(ofStarted: "office")
        #expect(report.value("resolved")?.object?[address] == .array([.string(address)]))
    }

    @Test func aNameThatDoesNotExistIsNamedAndNothingIsLeft() throws {
        let site = try site(server: "gone.example.org")
        let names = try NameService(site)
        let before = try Kernel.snapshot()
        let start = try site.utunctl("start", "--wait", "office")
        #expect(start.status == 6, "\(start)")
        #expect(start.output.isEmpty)
        #expect(start.errors.contains("serverAddressResolution: gone.example.org: no such host"))
        #expect(try Kernel.snapshot() == before)
        #expect(eventually { site.processes.isEmpty })
        let last = try site.status("office")["lastDisconnect"]?.object
        #expect(last?["code"] == .string("serverAddressResolution"))
        _ = names
    }

    @Test func aSilentNameServerIsNamedWithinTheTimeOfTheStart() throws {
        let site = try site(server: "vpn.example.org")
        try site.save("office", "startTimeout=2")
        let names = try NameService(silentFor: site)
        let start = try site.utunctl("start", "--wait", "office")
        #expect(start.status == 6, "\(start)")
        #expect(
            start.errors.contains(
                "serverAddressResolution: vpn.example.org: no answer from 127.0.0.1"))
        #expect(try Kernel.tunnels().isEmpty)
        _ = names
    }

    @Test func withoutAnyNameServerTheReasonSaysSo() throws {
        let site = try site(server: "vpn.example.org")
        try site.write("search example.org\n", to: "etc/resolv.conf")
        try site.write("", to: "etc/hosts")
        let start = try site.utunctl("start", "--wait", "office")
        #expect(start.status == 6, "\(start)")
        #expect(start.errors.contains("no resolver is configured"))
    }

    @Test func aMissingResolverRefusesTheStartBeforeAnythingIsMade() throws {
        let site = try site(server: "vpn.example.org")
        #expect(unlink("\(site.root)/usr/libexec/utunctl/utunctl-resolver") == 0)
        let start = try site.utunctl("start", "office")
        #expect(start.status == 7, "\(start)")
        #expect(start.errors.contains("utunctl-resolver"))
        #expect(site.read("run/utunctl/\(try site.identifier(of: "office")).session.json") == nil)
        try site.save("office", "serverAddress=192.0.2.9")
        #expect(try site.utunctl("start", "--wait", "office").status == 0)
    }

    @Test func stopDoesNotWaitForADeadNameServer() throws {
        let site = try site(server: "vpn.example.org")
        let names = try NameService(silentFor: site)
        #expect(try site.utunctl("start", "office").status == 0)
        let deadline = Deadline.after(milliseconds: 2000)
        #expect(try site.utunctl("stop", "office").status == 0)
        #expect(!deadline.hasPassed)
        #expect(eventually { site.processes.isEmpty })
        _ = names
    }

    @Test func theResolverHasNothingButItsSockets() throws {
        let site = try site(server: "vpn.example.org")
        let names = try NameService(silentFor: site)
        #expect(try site.utunctl("start", "office").status == 0)
        let program = "\(site.root)/usr/libexec/utunctl/utunctl-resolver"
        #expect(eventually { RunningProcess.all(with: program).count == 1 })
        let resolver = try #require(RunningProcess.all(with: program).first)
        // The child carries the host's command line until its exec is done.
        #expect(eventually { resolver.file("cmdline").hasPrefix(program) })
        let own = RunningProcess(pid: getpid())
        for kind in ["net", "pid", "ipc"] {
            #expect(resolver.namespace(kind) != own.namespace(kind), "\(kind)")
        }
        #expect(resolver.field("Uid") != "0 0 0 0")
        #expect(resolver.field("Groups") == "")
        for set in ["CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"] {
            #expect(resolver.field(set) == "0000000000000000", "\(set)")
        }
        #expect(resolver.field("NoNewPrivs") == "1")
        #expect(
            resolver.file("environ").split(separator: " ").map { $0.prefix { $0 != "=" } }
                == ["PATH", "LANG"])
        _ = names
    }

    @Test func theQuestionsCarryTheMarkOfTheOutside() throws {
        let site = try site(server: "vpn.example.org")
        let names = try NameService(site, "vpn.example.org,192.0.2.7")
        let rules = """
            table inet questions {
              chain out {
                type filter hook output priority 0;
                udp dport 53 meta mark 0x75000075 counter name marked
                udp dport 53 meta mark != 0x75000075 counter name plain
              }
              counter marked { }
              counter plain { }
            }
            """
        try site.write(rules, to: "rules.nft")
        let load = try Command.run(["nft", "-f", "\(site.root)/rules.nft"])
        try #require(load.status == 0, "\(load)")
        #expect(try site.utunctl("start", "--wait", "office").status == 0)
        func packets(_ counter: String) throws -> String {
            try Command.run(["nft", "list", "counter", "inet", "questions", counter]).output
        }
        #expect(try !packets("marked").contains("packets 0 "))
        #expect(try packets("plain").contains("packets 0 "))
        #expect(try Command.run(["nft", "delete", "table", "inet", "questions"]).status == 0)
        _ = names
    }

    @Test func aProviderMayAskAgainForTheNamesOfItsConfigurationOnly() throws {
        let site = try site(
            server: "vpn.example.org",
            """
            again = ask("resolve", name="vpn.example.org")
            other = ask("resolve", name="other.example.org")
            return {"again": again["addresses"], "other": other["addresses"]}
            """)
        let names = try NameService(
            site, "vpn.example.org,192.0.2.7", "other.example.org,192.0.2.66")
        let report = try site.report(ofStarted: "office")
        #expect(report["again"] == .array([.string("192.0.2.7")]))
        #expect(report["other"] == .array([]))
        let log = try names.finish()
        #expect(log.contains("vpn.example.org"))
        #expect(!log.contains("other.example.org"))
    }
}
