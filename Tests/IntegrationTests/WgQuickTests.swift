import Glibc
import LinuxSystem
import TestSupport
import Testing

/// What `export` writes is a file of wg-quick to wireguard-tools as well.
@Suite(
    .serialized,
    .enabled("\(PrivateNamespace.requirement)") { try PrivateNamespace.isPresent })
struct WgQuickTests {
    private static func site() throws -> Installation {
        let site = try Installation()
        try site.installWireGuard()
        return site
    }

    /// Enrols a file and exports it; the path of what was exported.
    private func exported(_ bytes: [UInt8], at site: Installation) throws -> String {
        let path = "\(site.root)/wgtest.conf"
        try AtomicFile.replace("\(site.root)/given.conf", with: bytes, mode: 0o600)
        let run = try site.utunctl(
            "enroll", "\(site.root)/given.conf", "--name", "office", "--replace")
        guard run.status == 0 else { throw Unexpected("enroll: \(run)") }
        let export = try site.utunctl(
            "export", "office", "--format", "wg-quick", "--output", path, "--replace")
        guard export.status == 0 else { throw Unexpected("export: \(export)") }
        return path
    }

    /// A file whose servers are addresses: nobody answers for names here.
    private static func withoutNames(_ text: String) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
            guard line.hasPrefix("Endpoint = "), let last = line.split(separator: ":").last,
                !line.contains("[")
            else { return String(line) }
            return "Endpoint = 192.0.2.1:\(last)"
        }.joined(separator: "\n")
    }

    @Test func everyExportedFileIsTakenByWgQuickAndWg() throws {
        let reference = try WireGuardGo(
            WireGuardFile(key: WireGuardKey(), addresses: [], peers: []))
        let site = try Self.site()
        for file in QuickCorpus.good {
            let path = try exported(file.bytes, at: site)
            let strip = try Command.run(["wg-quick", "strip", path])
            #expect(strip.status == 0, "\(file): \(strip)")
            #expect(strip.errors.isEmpty, "\(file): \(strip)")
            try site.write(Self.withoutNames(strip.output), to: "stripped", mode: 0o600)
            let taken = try Command.run(["wg", "setconf", "wg0", "\(site.root)/stripped"])
            #expect(taken.status == 0, "\(file): \(taken)")
            let peers = try reference.show("allowed-ips")
            let sections = strip.output.split(separator: "\n").filter { $0 == "[Peer]" }.count
            #expect(peers.count == sections, "\(file)")
        }
    }

    @Test func theProbeIsNotBlind() throws {
        let reference = try WireGuardGo(
            WireGuardFile(key: WireGuardKey(), addresses: [], peers: []))
        let site = try Self.site()
        try site.write("[Interface]\nNonsense = 1\n", to: "bad", mode: 0o600)
        #expect(
            try Command.run(["wg", "setconf", reference.interface, "\(site.root)/bad"]).status != 0)
    }

    @Test func theHooksDoForWgQuickWhatTheKeysDoHere() throws {
        let text = """
            [Interface]
            PrivateKey = \(try WireGuardKey().secret)
            Address = 10.77.0.1/24
            PostUp = sysctl -w net.ipv4.ip_forward=1
            PostUp = iptables -t nat -A POSTROUTING -o eth0 -j MASQUERADE
            PostUp = iptables -t mangle -A FORWARD -j TCPMSS --clamp-mss-to-pmtu
            """
        let site = try Self.site()
        let path = try exported(Array(text.utf8), at: site)
        let forward = KernelSetting("net/ipv4/ip_forward")
        try forward.write("0")
        let userspace = ["WG_QUICK_USERSPACE_IMPLEMENTATION": "wireguard-go"]
        let up = try Command.run(["wg-quick", "up", path], environment: userspace)
        #expect(up.status == 0, "\(up)")
        #expect(try forward.read() == "1")
        let rules = try Place.here.run("nft", "list", "table", "inet", "utunctl-wgtest")
        #expect(rules.contains("iifname \"wgtest\" oifname != \"wgtest\" masquerade"), "\(rules)")
        #expect(rules.contains("tcp option maxseg size set rt mtu"))
        let down = try Command.run(["wg-quick", "down", path], environment: userspace)
        #expect(down.status == 0, "\(down)")
        #expect(try !Place.here.run("nft", "list", "tables").contains("utunctl-wgtest"))
        try forward.write("0")
    }
}
