import Glibc
import JSON
import LinuxSystem
import TestSupport
import Testing

/// What doctor finds of other programs on a host: firewalls, rules, settings and file systems.
@Suite(
    .serialized,
    .enabled("\(PrivateNamespace.requirement)") { try PrivateNamespace.isPresent })
struct DoctorHostTests {
    private let site: Installation

    init() throws {
        site = try Installation()
        try site.save("office")
        try Firewall.nft("flush ruleset")
    }

    private func findings() throws -> [(code: String, severity: String, text: String)] {
        let answer = try site.json("doctor")
        return (answer["findings"]?.array ?? []).compactMap(\.object).map {
            ($0["code"]?.string ?? "", $0["severity"]?.string ?? "", $0["finding"]?.string ?? "")
        }
    }

    private func texts(_ code: String) throws -> [String] {
        try findings().filter { $0.code == code }.map(\.text)
    }

    @Test func aChainThatDropsWhatGoesIntoTheTunnelIsAProblem() throws {
        defer { _ = try? Firewall.nft("flush ruleset") }
        #expect(try texts("firewallDrops").isEmpty && texts("firewallMayDrop").isEmpty)
        #expect(try texts("nftablesLacking").isEmpty)
        try Firewall.nft(
            """
            table inet fence { chain leave {
              type filter hook output priority 0; policy drop;
              oifname "lo" accept
              oifname { "eth0", "under0" } accept
              meta mark 0x75000075 accept
            } }
            """)
        let drops = try texts("firewallDrops")
        #expect(drops.count == 1, "\(drops)")
        let expected = "inet fence leave (output) drops what goes into utunN"
        #expect(drops.first?.contains(expected) == true)
        #expect(try site.utunctl("doctor").status == 1)
        // By the name that it has, once it runs.
        #expect(try site.utunctl("start", "--wait", "office").status == 0)
        #expect(try texts("firewallDrops").first?.contains("into utun0") == true)
        try Firewall.nft("insert rule inet fence leave oifname \"utun0\" accept")
        #expect(try texts("firewallDrops").isEmpty)
        #expect(try site.utunctl("stop", "office").status == 0)
        // Another number may be next.
        #expect(try texts("firewallMayDrop").count == 1)
        try Firewall.nft("insert rule inet fence leave oifname \"utun*\" accept")
        #expect(try texts("firewallMayDrop").isEmpty)
    }

    @Test func anOrdinaryFirewallIsNothingToTell() throws {
        defer { _ = try? Firewall.nft("flush ruleset") }
        try Firewall.nft(
            """
            table inet filter {
              chain input { type filter hook input priority 0; policy drop;
                ct state established,related accept
                ct state invalid drop
                iif "lo" accept
                tcp dport 22 accept
                reject
              }
              chain forward { type filter hook forward priority 0; policy drop; }
              chain output { type filter hook output priority 0; policy accept; }
            }
            """)
        let codes = try findings().map(\.code)
        #expect(!codes.contains("firewallDrops") && !codes.contains("firewallMayDrop"))
        // What is forwarded matters where a tunnel forwards.
        try site.save("office", "routing.forward=true")
        let drops = try texts("firewallDrops")
        #expect(drops.count == 2, "\(drops)")
        #expect(drops.allSatisfy { $0.contains("inet filter forward") }, "\(drops)")
    }

    @Test func looksWithoutATrace() throws {
        let before = try Kernel.snapshot()
        let rules = try Place.here.run("nft", "list ruleset")
        _ = try site.utunctl("doctor")
        #expect(try Kernel.snapshot() == before)
        #expect(try Place.here.run("nft", "list ruleset") == rules)
    }

    @Test func aRuleAheadIsToldOnceItsTableHasRoutes() throws {
        try Place.here.run("ip", "rule", "add", "pref", "100", "lookup", "52")
        defer { _ = try? Place.here.run("ip", "rule", "del", "pref", "100") }
        #expect(try texts("ruleAhead").isEmpty)
        try Place.here.run("ip", "route", "add", "203.0.113.0/24", "dev", "lo", "table", "52")
        defer { _ = try? Place.here.run("ip", "route", "flush", "table", "52") }
        let told = try texts("ruleAhead")
        #expect(told.count == 1 && told.first?.hasPrefix("IPv4 100: from all lookup 52") == true)
        // One for packets with a mark of somebody else takes none of ours.
        try Place.here.run("ip", "rule", "del", "pref", "100")
        try Place.here.run(
            "ip", "rule", "add", "pref", "100", "fwmark", "0x40000/0xff0000", "lookup", "52")
        #expect(try texts("ruleAhead").isEmpty)
    }

    @Test func aStrictReversePathMattersWithoutAFirewall() throws {
        let link = try ScratchTUN()
        try KernelSetting("net/ipv4/conf/\(link.name)/rp_filter").write("1")
        #expect(try texts("reversePathStrict").isEmpty)
        try NFT.without {
            let told = try texts("reversePathStrict")
            #expect(told.contains { $0.hasPrefix("\(link.name) filters") }, "\(told)")
        }
    }

    @Test func aFullFileSystemIsAProblem() throws {
        let run = "\(site.root)/run"
        try Place.here.run("mount", "-t", "tmpfs", "-o", "size=1m,mode=0755", "tmpfs", run)
        defer { _ = try? Place.here.run("umount", "-l", run) }
        #expect(try texts("fileSystemFull").isEmpty == false)
        try Place.here.run("mount", "-o", "remount,size=8m", run)
        #expect(try texts("fileSystemFull").isEmpty)
        try Place.here.run("mount", "-o", "remount,ro", run)
        let severity = try findings().first { $0.code == "fileSystemReadOnly" }?.severity
        #expect(severity == "problem")
    }

    @Test func withoutTheRightItSaysSoAndAsksTheFirewallNothing() throws {
        let command = site.command(["--json", "doctor"])
        let result = try Command.run(["setpriv", "--bounding-set=-net_admin"] + command)
        #expect(result.status == 1)
        #expect(result.output.contains("\"capabilityMissing\""), "\(result)")
        #expect(!result.output.contains("nftables"), "\(result)")
    }

    @Test func aBundleOfARunningTunnelTellsItsStateAndNoAddress() throws {
        #expect(try site.utunctl("start", "--wait", "office").status == 0)
        let path = "\(site.root)/report.txt"
        #expect(try site.utunctl("bundle", path).status == 0)
        let file = try FileDescriptor.open(path, O_RDONLY)
        let text = String(decoding: try file.readAll(limit: 1 << 24), as: UTF8.self)
        #expect(text.contains("\"status\":\"connected\""))
        #expect(text.contains("utun0"))
        #expect(!text.contains("office"))
        let identifier = try site.identifier(of: "office")
        #expect(!text.contains(identifier))
        let addresses = try site.status("office").value("interface.addresses")?.array ?? []
        #expect(!addresses.isEmpty)
        for address in addresses.compactMap(\.string) {
            #expect(!text.contains("\(address.prefix { $0 != "/" })"), "\(address)")
        }
    }
}

/// An interface that goes with its owner.
private final class ScratchTUN {
    let name = "scratch0"

    init() throws {
        try Place.here.run("ip", "tuntap", "add", name, "mode", "tun")
    }

    deinit {
        _ = try? Place.here.run("ip", "link", "del", name)
    }
}
