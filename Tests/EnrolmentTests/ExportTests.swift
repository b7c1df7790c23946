import Enrolment
import JSON
import TestSupport
import Testing
import TunnelModel

@Suite struct ExportTests {
    @Test(arguments: QuickCorpus.good) func enrolExportEnrolIsAFixedPoint(file: QuickCorpus.File)
        throws
    {
        let first = try Round(file.bytes)
        #expect(first.gap == nil)
        #expect(try first.next.isSame(as: first), "\(first.text)")
        #expect(first.export.omissions.isEmpty, "\(first.export.omissions)")
        // Of the second file nothing is lost any more.
        let report = try QuickFile(parsing: first.export.file.bytes).report(named: "office")
        #expect(!report.contains { $0.outcome == .dropped }, "\(report)")
    }

    @Test func aFileIsWrittenInTheOrderOfItsManual() throws {
        let round = try Round(Array(QuickFiles.client.utf8)) {
            $0.dns.servers = [IPAddress("10.9.0.1")].compactMap(\.self)
            $0.dns.searchDomains = ["example.org"]
            $0.routing.includedRoutes = []
            $0.routing.forward = true
            $0.routing.masquerade = true
            $0.routing.mssClamp = true
        }
        #expect(
            round.text == """
                [Interface]
                PrivateKey = \(QuickFiles.privateKey)
                ListenPort = 51820
                Address = 10.9.0.2/24, fd00:9::2/64
                DNS = 10.9.0.1, example.org
                MTU = 1380
                Table = off
                PostUp = sysctl -q -w net.ipv4.ip_forward=1
                PostUp = sysctl -q -w net.ipv6.conf.all.forwarding=1
                PostUp = nft 'add table inet utunctl-%i; \
                add chain inet utunctl-%i translation \
                { type nat hook postrouting priority 100; }; \
                add rule inet utunctl-%i translation iifname "%i" oifname != "%i" masquerade; \
                add rule inet utunctl-%i translation oifname "%i" fib saddr type != local masquerade; \
                add chain inet utunctl-%i segments { type filter hook forward priority -150; }; \
                add rule inet utunctl-%i segments iifname "%i" tcp flags & (syn | rst) == syn \
                tcp option maxseg size set rt mtu; \
                add rule inet utunctl-%i segments oifname "%i" tcp flags & (syn | rst) == syn \
                tcp option maxseg size set rt mtu'
                PostDown = nft delete table inet utunctl-%i

                [Peer]
                PublicKey = \(QuickFiles.publicKey)
                PresharedKey = \(QuickFiles.presharedKey)
                Endpoint = vpn.example.org:51820
                AllowedIPs = 0.0.0.0/0, ::/0
                PersistentKeepalive = 25

                [Peer]
                PublicKey = \(QuickFiles.otherKey)
                Endpoint = [2001:db8::1]:443
                AllowedIPs = 10.20.0.0/16

                """)
        #expect(round.export.omissions.isEmpty)
        #expect(try Round(round.export.file.bytes).configuration == round.configuration)
    }

    /// Each combination of what hooks stand for, in each combination of families.
    @Test(arguments: 0..<8, ["10.0.0.1/24", "fd00::1/64", "10.0.0.1/24, fd00::1/64"])
    func whatHooksStandForComesBack(bits: Int, addresses: String) throws {
        let text = QuickFiles.file().replacing("10.9.0.2/24", with: addresses)
        let round = try Round(Array(text.utf8)) {
            $0.routing.forward = bits & 1 != 0
            $0.routing.masquerade = bits & 2 != 0
            $0.routing.mssClamp = bits & 4 != 0
        }
        let back = try Round(round.export.file.bytes)
        #expect(back.configuration == round.configuration, "\(round.text)")
        let report = try QuickFile(parsing: round.export.file.bytes).report(named: "x")
        #expect(!report.contains { $0.outcome == .dropped })
        #expect(round.text.contains("ipv6") == (bits & 1 != 0 && addresses.contains(":")))
    }

    private struct Key: Sendable, CustomStringConvertible {
        let description: String
        let change: @Sendable (inout Configuration) -> Void

        init(_ path: String, _ change: @escaping @Sendable (inout Configuration) -> Void) {
            description = path
            self.change = change
        }
    }

    private static let unsaid = [
        Key("title", { $0.title = "x" }), Key("enabled", { $0.enabled = false }),
        Key("username", { $0.username = "x" }),
        Key("interface.name", { $0.interface.name = "wg0" }),
        Key("interface.networkNamespace", { $0.interface.networkNamespace = "x" }),
        Key(
            "routing.includedRoutes", { $0.routing.includedRoutes = [.defaultV4] }
        ),
        Key("routing.excludedRoutes", { $0.routing.excludedRoutes = [.linkLocalV6] }),
        Key("routing.includeAllNetworks", { $0.routing.includeAllNetworks = true }),
        Key("routing.excludeLocalNetworks", { $0.routing.excludeLocalNetworks = true }),
        Key("routing.enforceRoutes", { $0.routing.enforceRoutes = true }),
        Key("routing.ipv6", { $0.routing.ipv6 = .block }),
        Key("routing.lockdown", { $0.routing.lockdown = .always }),
        Key("routing.resolveWhileBlocked", { $0.routing.resolveWhileBlocked = false }),
        Key("dns.searchDomains", { $0.dns.searchDomains = ["example.org"] }),
        Key("dns.matchDomains", { $0.dns.matchDomains = ["example.org"] }),
        Key("dns.tls", { $0.dns.tls = true }),
        Key("onDemand", { $0.onDemand.enabled = true }),
        Key("disconnectOnSleep", { $0.disconnectOnSleep = true }),
        Key("idleTimeout", { $0.idleTimeout = 1 }),
        Key("livenessInterval", { $0.livenessInterval = nil }),
        Key("startTimeout", { $0.startTimeout = 1 }), Key("stopTimeout", { $0.stopTimeout = 1 }),
        Key("trust[2]", { $0.trust.append("office/other") }),
        Key("credentials.other", { $0.credentials["other"] = "file:x" }),
        Key(
            "providerConfiguration.peers[1].optional",
            {
                var peers = $0.providerConfiguration["peers"]?.array ?? []
                if case .object(var peer)? = peers.last {
                    peer["optional"] = .bool(true)
                    peers[1] = .object(peer)
                }
                $0.providerConfiguration["peers"] = .array(peers)
            }
        ),
    ]

    @Test(arguments: unsaid) private func whatTheFileCannotSayIsNamed(key: Key) throws {
        let client = Array(QuickFiles.client.utf8)
        let round = try Round(client, key.change)
        #expect(round.export.omissions.map(\.path) == [key.description])
        #expect(round.export.omissions.first?.text.isEmpty == false)
        #expect(round.text == (try Round(client).text))
    }

    @Test func aDomainThatMightBeAKeyIsLeftOutAndNamed() throws {
        let label = String(repeating: "k", count: 44)
        let round = try Round(Array(QuickFiles.client.utf8)) {
            $0.dns.servers = [IPAddress("10.9.0.1")].compactMap(\.self)
            $0.dns.searchDomains = [label, "example.org"]
        }
        #expect(round.export.omissions.map(\.path) == ["dns.searchDomains"])
        #expect(!round.text.contains(label))
        #expect(
            try Round(round.export.file.bytes).configuration.dns.searchDomains == ["example.org"])
    }
}
