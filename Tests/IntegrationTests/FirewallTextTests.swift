import TestSupport
import Testing
import TunnelModel

/// Every form of a table is one that the real nft takes.
@Suite(
    .serialized,
    .enabled("\(PrivateNamespace.requirement)") { try PrivateNamespace.isPresent })
struct FirewallTextTests {
    private static let servers = [
        "192.0.2.1", "192.0.2.2", "2001:db8::1", "2001:db8::ffff:ffff:ffff:ffff",
    ].compactMap { IPAddress($0) }

    private func plans() -> [FirewallPlan] {
        var plans: [FirewallPlan] = []
        for bits in 0..<64 {
            func has(_ bit: Int) -> Bool { bits & (1 << bit) != 0 }
            var configuration = Configuration(
                identifier: "7b0d1c52-0000-4000-8000-000000000001",
                name: String(repeating: "N", count: 64))
            configuration.routing.includeAllNetworks = has(0)
            configuration.routing.masquerade = has(1)
            configuration.routing.mssClamp = has(1)
            if has(2) {
                configuration.routing.excludedRoutes = [
                    "203.0.113.0/24", "203.0.113.128/25", "2001:db8:7::/48", "10.0.0.0/8",
                ].compactMap { IPPrefix($0) }
            }
            var plan = FirewallPlan(
                table: "utunctl-\(configuration.identifier)-01234567",
                configuration: configuration,
                sockets: FirewallPlan.Sockets(mark: 0x7500_0075, provider: 61_117, resolver: 0))
            plan.link = has(3) ? 4711 : 0
            plan.mtu = 1280
            plan.addresses = ["10.9.0.2", "fd00:9::2"].compactMap { IPAddress($0) }
            if has(4) {
                for server in Self.servers {
                    for transport in FirewallEndpoint.Transport.allCases {
                        plan.endpoints.insert(FirewallEndpoint(server, port: 51820, transport))
                        plan.endpoints.insert(FirewallEndpoint(server, port: nil, transport))
                    }
                }
                plan.resolvers = Self.servers
                plan.marksReplies = true
            }
            if has(5) {
                plan.localNetworks = [
                    "10.0.0.0/8", "10.1.0.0/16", "192.168.0.0/16", "224.0.0.0/4", "fe80::/10",
                    "ff00::/8", "255.255.255.255/32",
                ].compactMap { IPPrefix($0) }
                plan.forwardingLinks[.v4] = [1, 17]
            }
            plan.pauseSeconds = has(3) ? 86_400 : 0
            plans += [plan, plan.blocked]
        }
        return plans
    }

    @Test func everyFormIsTakenAndReadBack() throws {
        let site = try Installation()
        var texts: Set<String> = []
        for plan in plans() { texts.insert(plan.text) }
        #expect(texts.count > 40)
        for text in texts {
            try site.write(text, to: "rules.nft")
            let load = try Command.run(["nft", "-f", "\(site.root)/rules.nft"])
            #expect(load.status == 0, "\(load)\n\(text)")
        }
        let pause = FirewallPlan.pauseText(
            table: "utunctl-7b0d1c52-0000-4000-8000-000000000001-01234567", seconds: 5)
        try site.write(try #require(plans().first { $0.mode.blocks }).text + pause, to: "rules.nft")
        let load = try Command.run(["nft", "-f", "\(site.root)/rules.nft"])
        #expect(load.status == 0, "\(load)")
        try Firewall.nft("flush ruleset")
    }
}
