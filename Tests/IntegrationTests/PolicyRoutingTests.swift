import Glibc
import JSON
import TestSupport
import Testing

/// Tables and rules of several tunnels side by side, and what becomes of them.
@Suite(
    .serialized,
    .enabled("\(PrivateNamespace.requirement)") { try PrivateNamespace.isPresent })
struct PolicyRoutingTests {
    private static let look = #"return {"table": "own"}"#
    /// Servers are looked for: they have to be somewhere.
    private let uplink = try? Uplink()

    /// A tunnel whose routes all lie in its own table, as each holds a server.
    private func save(_ site: Installation, _ name: String, _ number: Int, _ routes: [String])
        throws
    {
        let server = routes.contains { $0.hasPrefix("10.") } ? "10.5.5.5" : "203.0.113.5"
        try site.saveProbe(
            name, server: server, routes: routes,
            addresses: ["172.16.\(number).1/30", "fd\(number)::1/64"])
    }

    private func site() throws -> Installation {
        let site = try Installation()
        try site.installProbe(Self.look)
        return site
    }

    private func interface(_ site: Installation, _ name: String) throws -> String {
        try site.status(name).value("interface.name")?.string ?? ""
    }

    @Test(arguments: [["wide", "narrow"], ["narrow", "wide"]])
    func theLongestPrefixWinsWhicheverTunnelCameFirst(order: [String]) throws {
        let neighbour = try Neighbour()
        try neighbour.becomeGateway()
        try Kernel.ip("route", "add", "10.0.0.0/7", "dev", Neighbour.interface)
        try Kernel.ip("route", "add", "10.9.0.0/16", "dev", Neighbour.interface)
        let before = try Kernel.snapshot()
        let site = try site()
        try save(site, "wide", 1, ["0.0.0.0/0", "::/0", "10.8.0.0/16"])
        try save(site, "narrow", 2, ["10.0.0.0/8"])
        for name in order { #expect(try site.utunctl("start", "--wait", name).status == 0) }
        let wide = try interface(site, "wide")
        let narrow = try interface(site, "narrow")
        let ways = [
            ("198.51.100.9", wide), ("2001:db8:9::9", wide), ("10.8.1.1", wide),
            ("10.1.1.1", narrow), ("10.5.5.5", narrow), ("10.9.1.1", Neighbour.interface),
            ("11.1.1.1", Neighbour.interface), (Neighbour.v4, Neighbour.interface),
        ]
        for (address, way) in ways {
            #expect(try Kernel.interface(to: address) == way, "\(address)")
        }
        // Each says what is nearer than its own routes: that the host has, and the other tunnel.
        let settled = try eventually {
            try site.warnings("wide").sorted()
                == ["routeShadowed", "routeShadowed", "routesOverlap"]
                && site.warnings("narrow") == ["routeShadowed", "routesOverlap"]
        }
        let all = try site.json("status")
        #expect(settled, "\(all)")
        #expect(try site.utunctl("stop", "wide").status == 0)
        #expect(try Kernel.interface(to: "198.51.100.9") == Neighbour.interface)
        #expect(try Kernel.interface(to: "10.8.1.1") == narrow)
        #expect(try eventually { try site.warnings("narrow") == ["routeShadowed"] })
        #expect(try site.utunctl("stop", "narrow").status == 0)
        #expect(try Kernel.snapshot() == before)
        _ = neighbour
    }

    @Test(arguments: ["0.0.0.0/0", "::/0", "10.0.0.0/8"])
    func aRouteThatAnotherTunnelHasInItsTableNamesThatTunnel(route: String) throws {
        let site = try site()
        try save(site, "one", 1, [route])
        try save(site, "two", 2, [route])
        try site.save(
            "three", #"providerConfiguration.addresses=["172.16.3.1/30","fd3::1/64"]"#,
            "routing.includedRoutes=[\"\(route)\"]")
        #expect(try site.utunctl("start", "--wait", "one").status == 0)
        let before = try Kernel.tunnelRules()
        for name in ["two", "three"] {
            let start = try site.utunctl("start", "--wait", name)
            #expect(start.status == 6, "\(start)")
            #expect(
                start.errors.contains("one (utun0) has a route to \(route) already"), "\(start)")
        }
        #expect(try Kernel.tunnelRules() == before)
        #expect(try site.utunctl("status", "one").status == 0)
    }

    @Test(arguments: ["-4", "-6"])
    func deletedRulesArePutBackAndCounted(family: String) throws {
        let site = try site()
        try save(site, "full", 1, ["0.0.0.0/0", "::/0"])
        #expect(try site.utunctl("start", "--wait", "full").status == 0)
        let rules = try Kernel.tunnelRules()
        #expect(rules.count == 4)
        let priority = family == "-4" ? "5032" : "5128"
        for number in 1...2 {
            // The first of the two that are there: it is to come back before the other.
            try Kernel.ip(family, "rule", "delete", "priority", priority)
            #expect(try eventually { try Kernel.tunnelRules() == rules })
            #expect(
                try eventually {
                    try site.status("full").value("interface.restored.rules")
                        == .integer(Int64(number))
                })
        }
        #expect(try site.utunctl("status", "full").status == 0)
        // As does who restarts a network service that believes to own all rules.
        try Kernel.ip(family, "rule", "flush")
        try Kernel.ip(
            family, "rule", "add", "priority", "32766", "lookup", "main", "proto", "kernel")
        #expect(try eventually { try Kernel.tunnelRules() == rules })
        if family == "-4" {
            try Kernel.ip(
                family, "rule", "add", "priority", "32767", "lookup", "default", "proto", "kernel")
        }
    }

    @Test func aDeletedRouteOfItsOwnTableIsPutBackAndCounted() throws {
        let site = try site()
        try save(site, "full", 1, ["0.0.0.0/0", "::/0"])
        #expect(try site.utunctl("start", "--wait", "full").status == 0)
        let index = try #require(try site.interfaceIndex("full"))
        let table = "\(0x7500_0000 + index)"
        for (family, route) in [("-4", "default"), ("-6", "default")] {
            try Kernel.ip(family, "route", "delete", route, "table", table)
            #expect(
                try eventually {
                    try Command.run(["ip", family, "route", "show", "table", table]).output
                        .hasPrefix("default dev utun0")
                })
        }
        #expect(
            try eventually {
                try site.status("full").value("interface.restored.routes") == .integer(2)
            })
    }

    @Test func whatIsMissingWhileTheInterfaceIsDownIsNamed() throws {
        let site = try site()
        try save(site, "full", 1, ["0.0.0.0/0"])
        #expect(try site.utunctl("start", "--wait", "full").status == 0)
        try Kernel.ip("link", "set", "utun0", "down")
        try Kernel.ip("rule", "delete", "priority", "5032")
        let warnings = try site.status("full")["warnings"]?.array?.compactMap(\.object) ?? []
        let codes = warnings.compactMap { $0["code"]?.string }
        // IPv6 addresses go when their interface is set down.
        #expect(codes == ["linkDown", "addressMissing", "routeMissing", "ruleMissing"])
        #expect(warnings.allSatisfy { $0["degrades"] == .bool(true) })
        let text = warnings.last?["text"]?.string ?? ""
        #expect(text.contains("IPv4 5032: not from all fwmark 0x75000075 lookup main"), "\(text)")
        #expect(try site.utunctl("status", "full").status == 5)
        try Kernel.ip("link", "set", "utun0", "up")
        #expect(try eventually { try site.utunctl("status", "full").status == 0 })
    }

    @Test(arguments: ["start", "stop", "repair"])
    func rulesOfAKilledHostGoWithTheNextVerb(verb: String) throws {
        let site = try site()
        try save(site, "victim", 1, ["0.0.0.0/0", "::/0"])
        try save(site, "bystander", 2, ["10.0.0.0/8"])
        let empty = try Kernel.snapshot()
        #expect(try site.utunctl("start", "--wait", "bystander").status == 0)
        let bystander = try Kernel.tunnelRules()
        for _ in 0..<3 {
            #expect(try site.utunctl("start", "--wait", "victim").status == 0)
            #expect(try Kernel.tunnelRules().count == bystander.count + 4)
            kill(try site.livingHost(of: "victim"), SIGKILL)
            #expect(try eventually { try Kernel.tunnels().count == 1 })
            #expect(try Kernel.tunnelRules().count == bystander.count + 4)
            let doctor = try site.utunctl("doctor")
            #expect(doctor.status == 1)
            #expect(doctor.output.contains("left rules that lead to the table"), "\(doctor)")
            let result = try site.utunctl(verb, "victim")
            #expect(result.status == 0, "\(result)")
            if verb == "start" { #expect(try site.utunctl("stop", "victim").status == 0) }
            #expect(try Kernel.tunnelRules() == bystander)
            #expect(try site.utunctl("status", "bystander").status == 0)
        }
        #expect(try site.utunctl("stop", "bystander").status == 0)
        #expect(try Kernel.snapshot() == empty)
    }

    @Test func whateverElseIsLostRulesOfNobodyAreRepaired() throws {
        let site = try site()
        let other = try self.site()
        try save(site, "victim", 1, ["0.0.0.0/0"])
        try save(other, "living", 2, ["::/0"])
        #expect(try other.utunctl("start", "--wait", "living").status == 0)
        let living = try Kernel.tunnelRules()
        #expect(try site.utunctl("start", "--wait", "victim").status == 0)
        let host = try site.livingHost(of: "victim")
        _ = try Command.run(["rm", "-rf", "\(site.root)/run/utunctl"])
        kill(host, SIGKILL)
        #expect(try eventually { try Kernel.tunnels().count == 1 })
        let repair = try site.json("repair", "--all")
        let repaired = repair["repaired"]?.array?.compactMap(\.object) ?? []
        #expect(repaired.compactMap { $0["kind"]?.string } == ["firewall", "table"])
        #expect(repaired.last?["identifier"] == .null)
        #expect(try Kernel.tunnelRules() == living)
        #expect(try other.utunctl("status", "living").status == 0)
        #expect(try site.utunctl("repair").errors.contains("nothing was left"))
    }

    @Test func rulesThatAnInterfaceOfAStrangerHasAreOfNobody() throws {
        try Kernel.ip("tuntap", "add", "dev", "wan0", "mode", "tun")
        defer { _ = try? Command.run(["ip", "link", "delete", "wan0"]) }
        let link = try Command.run(["ip", "-o", "link", "show", "wan0"]).output
        let index = try #require(Int(link.prefix { $0 != ":" }))
        let others = ["rule", "add", "priority", "4000", "lookup", "300", "proto", "117"]
        #expect(try Command.run(["ip"] + others).status == 0)
        defer { _ = try? Command.run(["ip", "rule", "delete", "priority", "4000"]) }
        let before = try Kernel.snapshot()
        try Kernel.ip(
            "rule", "add", "priority", "5032", "not", "fwmark", "0x75000075", "lookup",
            "\(0x7500_0000 + index)", "proto", "117")
        #expect(try site().utunctl("repair").status == 0)
        #expect(try Kernel.snapshot() == before)
    }
}
