import Testing
import TunnelModel

/// What a tunnel takes, leaves alone and holds back, as the configuration promises.
@Suite struct RoutePromiseTests {
    private static let v4Addresses = ["10.9.0.2/24"]

    private static func expect(
        _ plan: RoutePlan,
        main: [String] = [],
        own: [String] = [],
        thrown: [String] = [],
        blocked: [String] = [],
        spared: [String] = [],
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let lists = [
            (plan.main, main, "main"), (plan.own, own, "own"), (plan.thrown, thrown, "thrown"),
            (plan.blocked, blocked, "blocked"), (plan.spared, spared, "spared"),
        ]
        for (found, wanted, name) in lists {
            #expect(
                found.sorted() == Model.prefixes(wanted).sorted(), "\(name)",
                sourceLocation: sourceLocation)
            #expect(Set(found).count == found.count, "\(name)", sourceLocation: sourceLocation)
        }
    }

    // MARK: - Plain

    private static let plainExclusions:
        [(included: [String], excluded: [String], main: [String], own: [String], [String])] = [
            // What holds an excluded network moves, and nothing else.
            (
                ["10.0.0.0/8", "11.0.0.0/8"], ["10.1.0.0/16"], ["11.0.0.0/8"], ["10.0.0.0/8"],
                ["10.1.0.0/16"]
            ),
            // Included within what is excluded.
            (
                ["10.0.0.0/8", "10.1.5.0/24"], ["10.1.0.0/16"], ["10.1.5.0/24"], ["10.0.0.0/8"],
                ["10.1.0.0/16"]
            ),
            // And excluded again within that.
            (
                ["10.0.0.0/8", "10.1.5.0/24"], ["10.1.0.0/16", "10.1.5.9/32"], [],
                ["10.0.0.0/8", "10.1.5.0/24"], ["10.1.0.0/16", "10.1.5.9/32"]
            ),
            // Excluded outside of everything, or wider than everything: nothing to do.
            (["10.0.0.0/8"], ["11.0.0.0/8"], ["10.0.0.0/8"], [], []),
            (["10.0.0.0/8"], ["0.0.0.0/0", "8.0.0.0/6"], ["10.0.0.0/8"], [], []),
            // Of the other family.
            (["10.0.0.0/8"], ["fd00::/8"], ["10.0.0.0/8"], [], []),
            // Host bits and duplicates on both sides.
            (
                ["10.1.2.3/8", "10.0.0.0/8"], ["10.1.9.9/16", "10.1.0.0/16"], [], ["10.0.0.0/8"],
                ["10.1.0.0/16"]
            ),
            // Neighbours that make up a whole.
            (
                ["10.0.0.0/8"], ["10.0.0.0/9", "10.128.0.0/9"], [], ["10.0.0.0/8"],
                ["10.0.0.0/9", "10.128.0.0/9"]
            ),
            (["fd00::/8"], ["fd01::/16"], [], ["fd00::/8"], ["fd01::/16"]),
            (
                ["0.0.0.0/0", "::/0"], ["192.168.0.0/16", "fd01::/16"], [],
                ["0.0.0.0/0", "::/0"], ["192.168.0.0/16", "fd01::/16"]
            ),
        ]

    @Test(arguments: plainExclusions)
    func excludedFromAPlainTunnel(
        included: [String], excluded: [String], main: [String], own: [String], thrown: [String]
    ) throws {
        let plan = try RoutePlanTests.plan(included) {
            $0.excludedRoutes = Model.prefixes(excluded)
        }
        Self.expect(plan, main: main, own: own, thrown: thrown)
        #expect(!plan.goesAhead(.v4) && !plan.goesAhead(.v6) && !plan.blockStands)
    }

    @Test func whatIsExcludedWinsOverAProviderThatAsksForTheSame() throws {
        var asked = NetworkSettings()
        asked.addresses = Model.prefixes(["10.9.0.2/24"])
        asked.includedRoutes = Model.prefixes(["10.1.0.0/16", "10.2.0.0/16"])
        var configuration = Configuration(identifier: Model.identifier, name: "office")
        configuration.routing.excludedRoutes = Model.prefixes(["10.1.0.0/16", "10.9.0.0/24"])
        guard
            case .accepted(let settings) = EffectiveSettings.derive(
                from: asked, for: configuration)
        else { return #expect(Bool(false)) }
        for enforces in [false, true] {
            configuration.routing.enforceRoutes = enforces
            let plan = RoutePlan(settings, RouteSurroundings(configuration.routing))
            #expect(plan.main + plan.own == Model.prefixes(["10.2.0.0/16"]))
            #expect(plan.thrown.isEmpty)
            #expect(plan.addressesWithoutRoute == Model.prefixes(["10.9.0.2/24"]))
        }
    }

    @Test func theTunnelsOwnNetworkThatHoldsAnExcludedOneMoves() throws {
        let plan = try RoutePlanTests.plan(["10.1.0.0/16"]) {
            $0.excludedRoutes = Model.prefixes(["10.9.0.128/25", "fd09::8000/113"])
        }
        Self.expect(
            plan, main: ["10.1.0.0/16"], own: ["10.9.0.0/24", "fd09::/64"],
            thrown: ["10.9.0.128/25", "fd09::8000/113"])
        #expect(plan.addressesWithoutRoute == Model.prefixes(["10.9.0.2/24", "fd09::2/64"]))
    }

    @Test func serversOfAProviderWithoutAMarkAreExcluded() throws {
        let plan = try RoutePlanTests.plan(
            ["10.0.0.0/8", "192.0.2.1/32", "11.0.0.0/8"],
            servers: ["10.2.3.4", "192.0.2.1", "203.0.113.1"], sendsUnmarked: true)
        Self.expect(plan, main: ["11.0.0.0/8"], own: ["10.0.0.0/8"], thrown: ["10.2.3.4/32"])
    }

    @Test func onlyServersThatARouteHoldsLeak() {
        var surroundings = RouteSurroundings(RoutingSettings(), sendsUnmarked: true)
        surroundings.servers = Set(["10.2.3.4", "203.0.113.1"].compactMap { IPAddress($0) })
        var asked = NetworkSettings()
        asked.addresses = Model.prefixes(["10.9.0.2/24"])
        asked.includedRoutes = Model.prefixes(["10.0.0.0/8"])
        let configuration = Configuration(identifier: Model.identifier, name: "office")
        guard
            case .accepted(let settings) = EffectiveSettings.derive(
                from: asked, for: configuration)
        else { return #expect(Bool(false)) }
        #expect(surroundings.leaks(settings) == [IPAddress("10.2.3.4")])
        var marked = RouteSurroundings(RoutingSettings())
        marked.servers = surroundings.servers
        #expect(marked.leaks(settings).isEmpty)
    }

    // MARK: - Enforced

    @Test func enforcedRoutesAllLieInTheOwnTableAndAreHeldBackWithoutIt() throws {
        let plan = try RoutePlanTests.plan(
            ["10.0.0.0/8", "10.1.5.0/24", "fd00::/8"], servers: ["10.3.3.3"]
        ) {
            $0.enforceRoutes = true
            $0.excludedRoutes = Model.prefixes(["10.1.0.0/16", "12.0.0.0/8", "fd01::/16"])
        }
        let own = ["10.9.0.0/24", "fd09::/64", "10.0.0.0/8", "10.1.5.0/24", "fd00::/8"]
        Self.expect(
            plan, own: own, thrown: ["10.1.0.0/16", "fd01::/16"], blocked: own,
            spared: ["10.1.0.0/16", "fd01::/16"])
        #expect(plan.goesAhead(.v4) && plan.goesAhead(.v6) && !plan.blockStands)
        #expect(plan.ownLengths(.v4) == [24, 8])
    }

    @Test func oneAddressAloneNeedsNoRouteOfItsOwn() throws {
        let plan = try RoutePlanTests.plan(
            ["10.0.0.0/8"], addresses: ["10.9.0.2/32", "fd09::2/128"]
        ) { $0.enforceRoutes = true }
        Self.expect(plan, own: ["10.0.0.0/8"], blocked: ["10.0.0.0/8"])
        #expect(plan.blocks(.v4) && !plan.blocks(.v6))
    }

    // MARK: - All

    @Test func allOfItGoesThroughTheTunnelWhateverTheProviderAsks() throws {
        let plan = try RoutePlanTests.plan(["10.0.0.0/8"]) {
            $0.includeAllNetworks = true
            $0.excludedRoutes = Model.prefixes(["192.168.0.0/16", "10.1.0.0/16", "fd01::/16"])
        }
        let own = ["10.9.0.0/24", "fd09::/64", "10.0.0.0/8", "0.0.0.0/0", "::/0"]
        let excluded = ["192.168.0.0/16", "10.1.0.0/16", "fd01::/16"]
        Self.expect(plan, own: own, thrown: excluded, blocked: own, spared: excluded)
        #expect(plan.blockStands)
    }

    @Test func aFamilyWithoutAnAddressIsHeldBack() throws {
        let plan = try RoutePlanTests.plan([], addresses: Self.v4Addresses) {
            $0.includeAllNetworks = true
        }
        let own = ["10.9.0.0/24", "0.0.0.0/0"]
        Self.expect(plan, own: own, blocked: own + ["::/0"])
        #expect(plan.blocks(.v6))
    }

    @Test func everythingIsHeldBackBeforeThereAreSettings() {
        var routing = RoutingSettings()
        #expect(RoutePlan(nil, RouteSurroundings(routing)) == RoutePlan())
        routing.includeAllNetworks = true
        routing.excludedRoutes = Model.prefixes(["10.1.0.0/16"])
        routing.excludeLocalNetworks = true
        var surroundings = RouteSurroundings(routing)
        surroundings.linkNetworks = Model.prefixes(["192.168.7.0/24"])
        Self.expect(
            RoutePlan(nil, surroundings), blocked: ["0.0.0.0/0", "::/0"],
            spared: [
                "10.1.0.0/16", "192.168.7.0/24", "224.0.0.0/4", "255.255.255.255/32", "ff00::/8",
            ])
        let without = RoutePlan(nil, RouteSurroundings(routing, hasIPv6: false))
        #expect(!without.blocks(.v6) && without.blocks(.v4))
    }

    // MARK: - Local networks

    private static let links: [(links: [String], local: [String])] = [
        ([], []),
        (["192.168.1.7/24"], ["192.168.1.0/24"]),
        (
            ["10.1.2.3/8", "172.20.0.1/16", "169.254.3.4/16"],
            ["10.0.0.0/8", "172.20.0.0/16", "169.254.0.0/16"]
        ),
        (["fd12::7/64", "fe80::1/64"], ["fd12::/64", "fe80::/64"]),
        // Public addresses on the link go through the tunnel.
        (["203.0.113.7/24", "2001:db8::7/64", "172.32.0.1/16"], []),
        // Whoever runs the link may claim the whole internet: what is private of it counts.
        (["0.0.0.0/1"], ["10.0.0.0/8"]),
        (["128.0.0.0/1"], ["172.16.0.0/12", "192.168.0.0/16", "169.254.0.0/16"]),
        (["::/0"], ["fc00::/7", "fe80::/10"]),
    ]

    @Test(arguments: links)
    func whatIsLocal(links: [String], local: [String]) {
        let everywhere = Model.prefixes(["224.0.0.0/4", "255.255.255.255/32", "ff00::/8"])
        let found = LocalNetworks.all(onLink: Model.prefixes(links))
        #expect(found.sorted() == (Model.prefixes(local) + everywhere).sorted())
    }

    // MARK: - IPv6

    enum Mode: CaseIterable { case plain, enforced }

    @Test(arguments: Mode.allCases)
    func aFullTunnelWithoutIPv6HoldsItBack(mode: Mode) throws {
        let full = ["0.0.0.0/1", "128.0.0.0/1"]
        func plan(_ routes: [String], _ policy: RoutingSettings.IPv6Policy, _ addresses: [String])
            throws -> RoutePlan
        {
            try RoutePlanTests.plan(routes, addresses: addresses) {
                $0.enforceRoutes = mode == .enforced
                $0.ipv6 = policy
                $0.excludedRoutes = Model.prefixes(["fd01::/16"])
            }
        }
        let blocked = try plan(full, .tunnel, Self.v4Addresses)
        #expect(blocked.blocked.filter { $0.family == .v6 } == [.defaultV6])
        #expect(blocked.spared == Model.prefixes(["fd01::/16", "fe80::/10"]))
        #expect(blocked.goesAhead(.v6) && blocked.goesAhead(.v4) == (mode == .enforced))
        #expect(!blocked.blockStands)
        // As it is asked for; with an address in the tunnel; with half of IPv4 alone.
        #expect(try !plan(full, .leave, Self.v4Addresses).blocks(.v6))
        let both = try plan(full, .tunnel, Self.v4Addresses + ["fd09::2/128"])
        #expect(!both.blocks(.v6))
        #expect(try !plan([full[0]], .tunnel, Self.v4Addresses).blocks(.v6))
    }

    @Test(arguments: Mode.allCases)
    func blockedIPv6IsWhatTheTunnelDoesNotCarry(mode: Mode) throws {
        let plan = try RoutePlanTests.plan(["10.0.0.0/8", "2001:db8::/32"]) {
            $0.enforceRoutes = mode == .enforced
            $0.ipv6 = .block
        }
        let carried = Model.prefixes(["fd09::/64", "2001:db8::/32"])
        #expect(plan.own.filter { $0.family == .v6 } == carried)
        #expect(plan.blocked.contains(.defaultV6))
        #expect(plan.goesAhead(.v6))
        #expect(plan.main.isEmpty == (mode == .enforced))
        let without = try RoutePlanTests.plan(
            ["10.0.0.0/8"], addresses: Self.v4Addresses, hasIPv6: false
        ) { $0.ipv6 = .block }
        #expect(!without.blocks(.v6))
    }

    @Test func thousandsOfExclusionsTakeNoTime() throws {
        let excluded = (0..<5000).map { "10.\($0 >> 8 & 255).\($0 & 255).0/24" }
        let clock = ContinuousClock()
        var plan = RoutePlan()
        let time = try clock.measure {
            plan = try RoutePlanTests.plan(["0.0.0.0/0", "10.0.0.0/8"]) {
                $0.enforceRoutes = true
                $0.excludedRoutes = Model.prefixes(excluded)
            }
        }
        #expect(plan.thrown.count == 5000 && plan.spared.count == 5000)
        #expect(time < .seconds(1))
    }
}
