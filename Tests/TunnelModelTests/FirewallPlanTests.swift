import Testing
import TunnelModel

/// The rules of firewall tables, as they are handed to nft.
struct FirewallPlanTests {
    /// A plan of a configuration, with everything in it that a tunnel can have.
    static func plan(_ change: (inout Configuration) -> Void) -> FirewallPlan {
        var configuration = Configuration(
            identifier: "7b0d1c52-0000-4000-8000-000000000001", name: "office")
        change(&configuration)
        var plan = FirewallPlan(
            table: "utunctl-\(configuration.identifier)", configuration: configuration,
            sockets: FirewallPlan.Sockets(mark: 0x7500_0075, provider: 61_117, resolver: 0))
        plan.link = 7
        plan.mtu = 1420
        plan.addresses = addresses("10.9.0.2", "fd00:9::2")
        return plan
    }

    static func addresses(_ texts: String...) -> [IPAddress] { texts.compactMap { IPAddress($0) } }

    private static let endpoints: Set<FirewallEndpoint> = Set(
        addresses("192.0.2.1", "2001:db8::1").map { FirewallEndpoint($0, port: 51820, .udp) })

    private func chain(_ name: String, of plan: FirewallPlan) -> [String] {
        plan.chains.first { $0.name == name }?.rules ?? []
    }

    @Test func aPlainTunnelOnlyKeepsPacketsFromItsAddressesThatComeFromElsewhere() {
        let plan = Self.plan { _ in }
        #expect(plan.mode == .antispoof)
        #expect(plan.chains.map(\.name) == ["arrivals"])
        #expect(
            plan.text == """
                table inet utunctl-7b0d1c52-0000-4000-8000-000000000001
                delete table inet utunctl-7b0d1c52-0000-4000-8000-000000000001
                table inet utunctl-7b0d1c52-0000-4000-8000-000000000001 {
                comment "utunctl antispoof 7 session \(hash(of: plan)) office"
                chain arrivals {
                \ttype filter hook prerouting priority raw; policy accept;
                \tiif "lo" accept
                \tiif 7 accept
                \tip daddr { 10.9.0.2 } drop
                \tip6 daddr { fd00:9::2 } drop
                }
                }

                """)
    }

    private func hash(of plan: FirewallPlan) -> Substring {
        plan.text.split(separator: "\"")[1].split(separator: " ")[4]
    }

    @Test func whereNoTableIsThereNoneIsDeleted() {
        let plan = Self.plan { _ in }
        #expect(!plan.text(isThere: false).contains("delete"))
        #expect(plan.text.hasSuffix(plan.text(isThere: false)))
        #expect(plan.text.hasPrefix("table inet \(plan.table)\ndelete table inet \(plan.table)\n"))
    }

    @Test func aKillSwitchLetsOutTheTunnelAndWhatItTakesToHaveOne() {
        var plan = Self.plan { $0.routing.includeAllNetworks = true }
        plan.endpoints = Self.endpoints
        plan.resolvers = Self.addresses("192.0.2.53")
        #expect(plan.mode == .killSwitch)
        #expect(
            plan.chains.map(\.name)
                == ["outgoing", "output", "postrouting", "input", "forward", "arrivals"])
        #expect(
            chain("outgoing", of: plan) == [
                "oif 7 meta oifkind \"tun\" accept",
                "meta mark 0x75000075 meta skuid 61117"
                    + " meta l4proto . ip daddr . th dport @endpoints4 accept",
                "meta mark 0x75000075 meta skuid 61117"
                    + " meta l4proto . ip6 daddr . th dport @endpoints6 accept",
                "meta mark 0x75000075 meta skuid 0 ip daddr { 192.0.2.53 }"
                    + " meta l4proto { tcp, udp } th dport 53 accept",
                "meta mark 0x75000075 drop",
                "oif \"lo\" accept",
                "meta nfproto @pause accept",
                "meta nfproto ipv4 udp sport 68 udp dport 67 accept",
                "meta nfproto ipv6 udp sport 546 udp dport 547 accept",
                "icmpv6 type 133-136 ip6 hoplimit 255 accept",
            ])
        #expect(
            chain("input", of: plan) == [
                "iif \"lo\" accept",
                "iif 7 meta iifkind \"tun\" accept",
                "meta l4proto . ip saddr . th sport @endpoints4 accept",
                "meta l4proto . ip6 saddr . th sport @endpoints6 accept",
                "ip saddr { 192.0.2.53 } meta l4proto { tcp, udp } th sport 53 accept",
                "icmp type destination-unreachable icmp code 4 @th,192,32 { 0xc0000201 } accept",
                "icmpv6 type packet-too-big"
                    + " @th,256,128 { 0x20010db8000000000000000000000001 } accept",
                "meta nfproto @pause accept",
                "meta nfproto ipv4 udp dport 68 udp sport 67 accept",
                "meta nfproto ipv6 udp dport 546 udp sport 547 accept",
                "icmpv6 type 133-136 ip6 hoplimit 255 accept", "drop",
            ])
        #expect(
            chain("forward", of: plan) == [
                "oif 7 meta oifkind \"tun\" accept", "meta nfproto @pause accept", "drop",
            ])
        for name in ["output", "postrouting", "input", "forward"] {
            let hook = plan.chains.first { $0.name == name }?.hook
            #expect(hook?.hasSuffix("policy drop;") == true, "\(name)")
            // The kernel knows of the policy only some moments after the rules.
            #expect(chain(name, of: plan).last == "drop", "\(name)")
        }
        #expect(
            plan.text.contains(
                "set endpoints4 { type inet_proto . ipv4_addr . inet_service;"
                    + " elements = { udp . 192.0.2.1 . 51820 }; }"))
    }

    @Test func aBlockLetsOutNothingOfATunnel() {
        var plan = Self.plan {
            $0.routing.includeAllNetworks = true
            $0.routing.lockdown = .always
        }
        plan.endpoints = Self.endpoints
        plan.resolvers = Self.addresses("192.0.2.53")
        plan.pauseSeconds = 60
        let blocked = plan.blocked
        #expect(blocked.mode == .blocked)
        let names = ["outgoing", "output", "postrouting", "input", "forward"]
        #expect(blocked.chains.map(\.name) == names)
        #expect(
            chain("outgoing", of: blocked) == [
                "meta mark 0x75000075 drop",
                "oif \"lo\" accept",
                "meta nfproto @pause accept",
                "meta nfproto ipv4 udp sport 68 udp dport 67 accept",
                "meta nfproto ipv6 udp sport 546 udp dport 547 accept",
                "icmpv6 type 133-136 ip6 hoplimit 255 accept",
            ])
        #expect(!blocked.text.contains("192.0.2."))
        #expect(!blocked.text.contains("timeout 60s"))
        #expect(blocked.text.contains("\"utunctl blocked 7 always "))
    }

    @Test func localNetworksAreOpenButForNames() {
        var plan = Self.plan {
            $0.routing.includeAllNetworks = true
            $0.routing.excludeLocalNetworks = true
            $0.routing.excludedRoutes = ["203.0.113.0/24"].compactMap { IPPrefix($0) }
        }
        plan.localNetworks = ["192.168.7.0/24", "fe80::/10"].compactMap { IPPrefix($0) }
        let outgoing = chain("outgoing", of: plan)
        #expect(
            outgoing.suffix(4) == [
                "ip daddr @excluded4 accept",
                "meta l4proto { tcp, udp } th dport { 53, 853 } drop",
                "ip daddr @local4 accept",
                "ip6 daddr @local6 accept",
            ])
        // Even there our own sockets go to the endpoints alone.
        let drop = outgoing.firstIndex(of: "meta mark 0x75000075 drop")
        #expect(drop.map { $0 < outgoing.count - 4 } == true)
        #expect(
            chain("forward", of: plan) == [
                "oif 7 meta oifkind \"tun\" accept", "meta nfproto @pause accept",
                "iif 7 meta iifkind \"tun\" ip daddr @excluded4 accept",
                "ip saddr @excluded4 ip daddr @excluded4 accept",
                "ip saddr @local4 ip daddr @excluded4 accept",
                "meta l4proto { tcp, udp } th dport { 53, 853 } drop",
                "iif 7 meta iifkind \"tun\" ip daddr @local4 accept",
                "iif 7 meta iifkind \"tun\" ip6 daddr @local6 accept",
                "ip saddr @excluded4 ip daddr @local4 accept",
                "ip saddr @local4 ip daddr @local4 accept",
                "ip6 saddr @local6 ip6 daddr @local6 accept", "drop",
            ])
        // Links that forward for the tunnel alone do so in a pause as little.
        plan.forwardingLinks[.v4] = [3]
        #expect(
            chain("forward", of: plan).prefix(3) == [
                "oif 7 meta oifkind \"tun\" accept",
                "meta nfproto ipv4 iif { 3 } oif != 7 drop", "meta nfproto @pause accept",
            ])
    }

    @Test func answersCarryTheMarkWhereTheyAreToPassAFilter() {
        var plan = Self.plan { _ in }
        plan.endpoints = [
            FirewallEndpoint(IPAddress(v4: 0xC000_0201), port: 51820, .udp),
            FirewallEndpoint(IPAddress(v4: 0xC000_0202), port: nil, .tcp),
        ]
        #expect(chain("arrivals", of: plan).count == 4)
        plan.marksReplies = true
        #expect(
            chain("arrivals", of: plan).suffix(2) == [
                "meta l4proto . ip saddr . th sport @endpoints4"
                    + " fib daddr type local meta mark set 0x75000075",
                "meta l4proto . ip saddr @servers4"
                    + " fib daddr type local meta mark set 0x75000075",
            ])
    }

    @Test func theServerRoleHasItsRules() {
        var plan = Self.plan {
            $0.routing.masquerade = true
            $0.routing.mssClamp = true
            $0.routing.forward = true
        }
        plan.forwardingLinks[.v4] = [3, 2]
        plan.forwardingLinks[.v6] = [2]
        #expect(plan.chains.map(\.name) == ["bounds", "arrivals", "translation", "segments"])
        #expect(
            chain("bounds", of: plan) == [
                "meta nfproto ipv4 iif { 2, 3 } oif != 7 drop",
                "meta nfproto ipv6 iif { 2 } oif != 7 drop",
            ])
        #expect(
            chain("translation", of: plan) == [
                "iif 7 oif != 7 masquerade", "oif 7 fib saddr type != local masquerade",
            ])
        #expect(
            chain("segments", of: plan).first
                == "iif 7 meta nfproto ipv4 tcp flags & (syn | rst) == syn"
                + " tcp option maxseg size set 1380")
        #expect(chain("segments", of: plan).last?.hasSuffix("size set 1360") == true)
    }

    @Test func aPauseIsTheKernelsOwnToEnd() {
        #expect(
            FirewallPlan.pauseText(table: "t", seconds: 600)
                == "flush set inet t pause\n"
                + "add element inet t pause { ipv4 timeout 600s, ipv6 timeout 600s }\n")
        // A time limit of nothing would be none at all.
        #expect(FirewallPlan.pauseText(table: "t", seconds: 0) == "flush set inet t pause\n")
        var plan = Self.plan { $0.routing.includeAllNetworks = true }
        #expect(plan.text.contains("set pause { type nf_proto; flags timeout; }"))
        let former = hash(of: plan)
        plan.pauseSeconds = 5
        #expect(plan.text.contains("elements = { ipv4 timeout 5s, ipv6 timeout 5s }"))
        #expect(hash(of: plan) == former)
    }

    @Test(arguments: FirewallMode.allCases, [RoutingSettings.Lockdown.session, .always])
    func aLabelIsReadAsItWasWritten(mode: FirewallMode, lockdown: RoutingSettings.Lockdown) {
        let name = String(repeating: "n", count: 64)
        let label = FirewallLabel(mode: mode, link: .max, lockdown: lockdown, name: name)
        let text = label.text(hash: "01234567")
        #expect(FirewallLabel(text) == label)
        // Longer comments nft refuses.
        #expect(text.utf8.count < 128)
    }

    @Test(arguments: [
        "", "utunctl", "utunctl killSwitch 7 session 01234567", "other killSwitch 7 session 0 n",
        "utunctl killSwitch x session 0 n", "utunctl wall 7 session 0 n",
        "utunctl killSwitch 7 ever 0 n", "utunctl killSwitch 7 session 0 n more",
    ])
    func whatIsNoLabelIsNone(text: String) {
        #expect(FirewallLabel(text) == nil)
    }

    @Test func endpointsAreWhatNamesResolveToWithTheirPorts() {
        var configuration = Configuration(identifier: "", name: "office")
        configuration.serverAddress = "vpn.example.org:443"
        let resolved = ["vpn.example.org": Self.addresses("192.0.2.1"), "x": Self.addresses("::1")]
        #expect(
            configuration.endpoints(resolved)
                == Set(
                    FirewallEndpoint.Transport.allCases.map {
                        FirewallEndpoint(IPAddress(v4: 0xC000_0201), port: 443, $0)
                    }))
        #expect(configuration.endpoints([:]).isEmpty)
    }
}
