import Glibc
import JSON
import TestSupport
import Testing

/// What leaves beside a tunnel, counted by the router, is what the mode promises.
@Suite(
    .serialized,
    .enabled("\(PrivateNamespace.requirement)") { try PrivateNamespace.isPresent })
struct RoutingModeTests {
    enum Mode: String, CaseIterable, CustomTestStringConvertible {
        case plain, enforced, all

        var testDescription: String { rawValue }

        var setting: String {
            switch self {
            case .plain: "routing.enforceRoutes=false"
            case .enforced: "routing.enforceRoutes=true"
            case .all: "routing.includeAllNetworks=true"
            }
        }

        static let strict: [Mode] = [.enforced, .all]
    }

    private func expectNone(_ leaks: (v4: Int, v6: Int), _ location: SourceLocation) {
        #expect(leaks.v4 == 0 && leaks.v6 == 0, "\(leaks)", sourceLocation: location)
    }

    private func expectSealed(
        _ site: RoutingSite,
        from place: Place = .here,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        expectNone(try site.leaks(from: place), sourceLocation)
    }

    /// Without a tunnel everything arrives at the router: the probe is not blind.
    private func expectOpen(
        _ site: RoutingSite,
        from place: Place = .here,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let leaks = try site.leaks(from: place)
        #expect(leaks.v4 == 1 && leaks.v6 == 1, "\(leaks)", sourceLocation: sourceLocation)
    }

    @Test(arguments: Mode.allCases)
    func steadyThenStopped(mode: Mode) throws {
        let site = try RoutingSite()
        try expectOpen(site)
        let before = try Kernel.wholeSnapshot()
        try site.save("office", mode.setting)
        try site.start()
        let status = try site.installation.status("office")
        #expect(status.value("routing.mode") == .string(mode.rawValue))
        #expect(status.value("routing.excluded") == .array([]))
        #expect(try site.installation.utunctl("status", "office").status == 0)
        let sent = try site.sent()
        try expectSealed(site)
        #expect(try site.sent() >= sent + 2)
        try site.stop()
        #expect(try Kernel.wholeSnapshot() == before)
        try expectOpen(site)
    }

    @Test(arguments: Mode.allCases)
    func aNearerRouteOfTheHostTakesPacketsFromAPlainTunnelAlone(mode: Mode) throws {
        let site = try RoutingSite()
        try site.save("office", mode.setting)
        try site.start()
        // As a DHCP server may hand it out (option 121).
        try Kernel.ip("route", "add", "203.0.113.5/32", "via", site.router.v4)
        try Kernel.ip("route", "add", "2001:db8:5::/64", "via", site.router.v6)
        let leaks = try site.leaks()
        #expect(leaks == (mode == .plain ? (1, 1) : (0, 0)))
        let wanted = mode == .plain ? ["routeShadowed", "routeShadowed"] : []
        #expect(try eventually { try site.warnings() == wanted })
        let status = try site.installation.utunctl("status", "office")
        #expect(status.status == (mode == .plain ? 5 : 0))
        try Kernel.ip("route", "delete", "203.0.113.5/32")
        try Kernel.ip("-6", "route", "delete", "2001:db8:5::/64")
        #expect(try eventually { try site.warnings().isEmpty })
        try expectSealed(site)
    }

    @Test(arguments: Mode.allCases)
    func aLinkThatIsDown(mode: Mode) throws {
        let site = try RoutingSite()
        try site.save("office", mode.setting)
        try site.start()
        try Kernel.ip("link", "set", try site.interface(), "down")
        if mode == .plain { try expectOpen(site) } else { try expectSealed(site) }
        if mode != .plain { #expect(try !RoutingSite.send(to: RoutingSite.beyond4)) }
        #expect(try site.warnings().contains("linkDown"))
        try Kernel.ip("link", "set", try site.interface(), "up")
        #expect(try eventually { try site.installation.utunctl("status", "office").status == 0 })
        try expectSealed(site)
    }

    @Test(arguments: Mode.strict)
    func forwardedPacketsOfOthers(mode: Mode) throws {
        let site = try RoutingSite()
        let guest = try FarHost(number: 1)
        try guest.place.run("ip", "route", "add", "default", "via", guest.nearV4)
        try guest.place.run("ip", "-6", "route", "add", "default", "via", guest.nearV6)
        let forwarding = "/proc/sys/net/ipv6/conf/all/forwarding"
        try Kernel.setForwarding(true)
        _ = try Command.run(["/bin/sh", "-c", "echo 1 >\(forwarding)"])
        defer {
            try? Kernel.setForwarding(false)
            _ = try? Command.run(["/bin/sh", "-c", "echo 0 >\(forwarding)"])
        }
        // Forwarding takes away nothing of ours, and IPv6 comes to itself first.
        #expect(try eventually { try site.leaks(from: guest.place) == (1, 1) })
        try site.save("office", mode.setting)
        try site.start()
        let sent = try site.sent()
        try expectSealed(site, from: guest.place)
        #expect(try site.sent() >= sent + 2)
        try Kernel.ip("link", "set", try site.interface(), "down")
        try expectSealed(site, from: guest.place)
        try site.stop()
        try expectOpen(site, from: guest.place)
    }

    @Test(arguments: Mode.strict)
    func deletedRulesAndRoutesComeBack(mode: Mode) throws {
        let site = try RoutingSite()
        try site.save("office", mode.setting, #"routing.excludedRoutes=["203.0.113.128/25"]"#)
        try site.start()
        let rules = try Kernel.tunnelRules()
        let tables = try tunnelTables()
        for rule in rules {
            let words = rule.split(whereSeparator: \.isWhitespace).map(String.init)
            let priority = String(words[1].dropLast())
            try Kernel.ip(words[0], "rule", "delete", "priority", priority)
            #expect(try eventually { try Kernel.tunnelRules() == rules }, "\(rule)")
        }
        try expectSealed(site)
        for (family, table, _) in tables.map({ ($0.0, $0.1, $0.2) }) {
            try Kernel.ip(family, "route", "flush", "table", table)
            #expect(try eventually { try tunnelTables().map(\.2) == tables.map(\.2) })
        }
        try expectSealed(site)
        let restored = try site.installation.status("office").value("interface.restored")?.object
        #expect(restored?["rules"] == .integer(Int64(rules.count)))
        let routes = tables.map { $0.2.split(separator: "\n").count }.reduce(0, +)
        // What is put back while the table is still being emptied goes once more.
        #expect(restored?["routes"]?.integer ?? 0 >= Int64(routes))
        #expect(try site.installation.utunctl("status", "office").status == 0)
    }

    /// The tables of the one tunnel, each with its routes.
    private func tunnelTables() throws -> [(String, String, String)] {
        try ["-4", "-6"].flatMap { family in
            let text = try Command.run([
                "ip", family, "route", "show", "table", "all", "proto", "117",
            ]).output
            let numbers = text.split(separator: "\n").compactMap { line -> String? in
                let words = line.split(separator: " ")
                return words.firstIndex(of: "table").map { String(words[$0 + 1]) }
            }
            return try Set(numbers).sorted().map { number in
                let routes = try Command.run(["ip", family, "route", "show", "table", number])
                let lines = routes.output.split(separator: "\n").sorted()
                return (family, number, lines.joined(separator: "\n"))
            }
        }
    }

    @Test(arguments: Mode.allCases)
    func excludedNetworks(mode: Mode) throws {
        let site = try RoutingSite()
        let before = try Kernel.wholeSnapshot()
        try site.save(
            "office", mode.setting,
            #"routing.includedRoutes=["203.0.0.0/16","203.0.113.64/26","2001:db8:5::/48","2001:db8:5:1::/64"]"#,
            #"routing.excludedRoutes=["203.0.113.0/25","2001:db8:5::/56"]"#)
        try site.start()
        // Excluded, included again within that, and all around.
        for (address, leaks) in [
            ("203.0.113.5", (1, 0)), ("203.0.113.70", (0, 0)), ("203.0.113.200", (0, 0)),
            ("2001:db8:5::5", (0, 1)), ("2001:db8:5:1::5", (0, 0)), ("2001:db8:5:ff00::5", (0, 0)),
        ] {
            #expect(try site.leaks(to: [address]) == leaks, "\(address)")
        }
        #expect(try site.installation.utunctl("status", "office").status == 0)
        // What is excluded follows the host's own way without anybody's doing.
        try Kernel.ip("route", "add", "203.0.113.5/32", "dev", "lo")
        #expect(try site.leaks(to: [RoutingSite.beyond4]) == (0, 0))
        try Kernel.ip("route", "delete", "203.0.113.5/32")
        try site.stop()
        #expect(try Kernel.wholeSnapshot() == before)
    }

    @Test(arguments: ["stop", "start", "repair"], Mode.strict)
    func aKilledHost(verb: String, mode: Mode) throws {
        let site = try RoutingSite()
        let before = try Kernel.wholeSnapshot()
        try site.save("office", mode.setting, #"routing.excludedRoutes=["203.0.113.128/25"]"#)
        try site.start()
        kill(try site.installation.livingHost(of: "office"), SIGKILL)
        #expect(try eventually { try Kernel.tunnels().isEmpty })
        if mode == .all {
            try expectSealed(site)
            #expect(try site.leaks(to: ["203.0.113.200"]) == (1, 0))
            #expect(try site.warnings() == ["hostBlocked"])
        }
        #expect(try site.installation.utunctl(verb, "office").status == 0)
        if verb == "start" {
            #expect(try eventually { try site.installation.word("office") == "connected" })
            try expectSealed(site)
        }
        if verb == "repair", mode == .all { try expectSealed(site) }
        try site.stop()
        #expect(try Kernel.wholeSnapshot() == before)
        try expectOpen(site)
    }

    @Test func aTunnelWhoseOwnAddressIsTheFirstOfItsRouteIsNotDegraded() throws {
        let site = try Installation()
        try site.save(
            "office", #"providerConfiguration.addresses=["10.98.0.1/30","fd98::1/126"]"#,
            #"providerConfiguration.includedRoutes=["10.98.0.0/16","fd98::/64"]"#)
        #expect(try site.utunctl("start", "--wait", "office").status == 0)
        let status = try site.utunctl("status", "office")
        #expect(status.status == 0, "\(status)")
    }

    @Test func aKilledProviderLeavesTheHostBlockedUntilTheStop() throws {
        let site = try RoutingSite()
        let before = try Kernel.wholeSnapshot()
        try site.save("office", Mode.all.setting)
        for _ in 0..<2 {
            try site.start()
            kill(try site.installation.livingProvider(of: "office"), SIGKILL)
            #expect(try eventually { try site.installation.word("office") == "disconnected" })
            try expectSealed(site)
            #expect(try site.warnings() == ["hostBlocked"])
            #expect(try Kernel.tunnelRules().count == 2)
        }
        // Looking and clearing up lifts nothing; wanting it away does.
        #expect(try site.installation.utunctl("repair").status == 0)
        try expectSealed(site)
        try site.stop()
        #expect(try Kernel.wholeSnapshot() == before)
        try expectOpen(site)
    }

    @Test func everythingIsBlockedFromTheMomentOfAcceptance() throws {
        let site = try RoutingSite()
        try site.save("office", Mode.all.setting, "providerConfiguration.hangOnStart=true")
        #expect(try site.installation.utunctl("start", "office").status == 0)
        try expectSealed(site)
        try site.stop()
        try expectOpen(site)
        // A start that is refused blocks nothing.
        try Kernel.ip("address", "add", "10.98.0.1/30", "dev", site.router.interface)
        #expect(try site.installation.utunctl("start", "office").status == 12)
        #expect(try Kernel.tunnelRules().isEmpty)
        try expectOpen(site)
    }

    @Test func aSecondTunnelOfAllNetworksIsRefused() throws {
        let site = try RoutingSite()
        try site.save("office", Mode.all.setting)
        try site.save(
            "home", Mode.all.setting, #"providerConfiguration.addresses=["10.97.0.1/30"]"#)
        try site.start()
        let rules = try Kernel.tunnelRules()
        for _ in 0..<2 {
            let start = try site.installation.utunctl("start", "home")
            #expect(start.status == 12, "\(start)")
            #expect(start.errors.contains("office takes all networks already"), "\(start)")
            #expect(try Kernel.tunnelRules() == rules)
            #expect(try Kernel.tunnels().count == 1)
        }
        kill(try site.installation.livingProvider(of: "office"), SIGKILL)
        #expect(try eventually { try site.installation.word("office") == "disconnected" })
        #expect(try site.installation.utunctl("start", "home").status == 12)
        try site.stop()
        try site.start("home")
        try expectSealed(site)
    }

    @Test func settingsThatFailHalfWayLeaveNothing() throws {
        let site = try RoutingSite()
        // The last of the routes is there already; all before it are not.
        try Kernel.ip("route", "add", "198.51.100.0/24", "dev", site.router.interface)
        let before = try Kernel.wholeSnapshot()
        try site.save(
            "office", "routing.ipv6=block",
            #"routing.includedRoutes=["203.0.0.0/16","2001:db8::/32","198.51.100.0/24"]"#,
            #"routing.excludedRoutes=["203.0.113.0/24","2001:db8:5::/48"]"#)
        let start = try site.installation.utunctl("start", "--wait", "office")
        #expect(start.status == 6, "\(start)")
        let text = "\(site.router.interface) has a route to 198.51.100.0/24 already"
        #expect(start.errors.contains(text), "\(start)")
        #expect(try Kernel.wholeSnapshot() == before)
        try expectOpen(site)
    }

    @Test func aBlockOfARemovedConfigurationGoesWithIt() throws {
        let site = try RoutingSite()
        let before = try Kernel.wholeSnapshot()
        try site.save("office", Mode.all.setting)
        try site.start()
        kill(try site.installation.livingProvider(of: "office"), SIGKILL)
        #expect(try eventually { try site.installation.word("office") == "disconnected" })
        try expectSealed(site)
        #expect(try site.installation.utunctl("remove", "office").status == 0)
        #expect(try Kernel.wholeSnapshot() == before)
    }

    /// Where no link is named, the kernel looks for that of the gateway.
    @Test(arguments: [["routing.enforceRoutes=true"], ["routing.includeAllNetworks=true"]])
    func aRouteByAGatewayDoesNotComeToLeadThroughTheTunnel(settings: [String]) throws {
        let site = try RoutingSite()
        try site.save(
            "office", settings[0], #"routing.includedRoutes=["0.0.0.0/0","192.0.0.0/8"]"#)
        try site.start()
        let outside = site.router.interface
        for route in ["198.18.7.0/24", "default"] {
            try Kernel.ip("route", "replace", route, "via", site.router.v4)
            let shown = try Command.run(["ip", "route", "show", route]).output
            #expect(shown.contains("dev \(outside)"), "\(shown)")
        }
        try site.stop()
        #expect(try Command.run(["ip", "route", "show", "default"]).output.contains(outside))
        try Kernel.ip("route", "delete", "198.18.7.0/24")
    }

    /// Rules of others before those of the tunnel, in words of ip-rule(8).
    @Test(
        arguments: [
            ["from", "all", "lookup", "main"], ["not", "fwmark", "0x75000075", "lookup", "main"],
            ["from", "all", "unreachable"], ["to", "0.0.0.0/1", "lookup", "77"],
        ], ["enforceRoutes", "includeAllNetworks"])
    func aRuleThatTakesPacketsFromTheTunnelIsNamed(rule: [String], mode: String) throws {
        let site = try RoutingSite()
        try site.save(
            "office", "routing.\(mode)=true", #"routing.includedRoutes=["0.0.0.0/0"]"#)
        try Kernel.ip("route", "add", "default", "via", site.router.v4, "table", "77")
        defer { _ = try? Command.run(["ip", "route", "flush", "table", "77"]) }
        try site.start()
        #expect(try site.warnings().isEmpty)
        let words = ["pref", "100"] + rule
        let add = try Command.run(["ip", "rule", "add"] + words)
        guard add.status == 0 else { throw Unexpected("\(add)") }
        #expect(try eventually { try site.warnings().contains("ruleShadowed") })
        _ = try Command.run(["ip", "rule", "delete"] + words)
        #expect(try eventually { try site.warnings().isEmpty })
    }
}
