import Testing
import TunnelModel

@Suite struct RoutePromiseOfAddressTests {
    private static func promise(
        _ address: String,
        _ included: [String],
        _ mode: RoutingMode,
        excluded: [String] = [],
        ipv6: RoutingSettings.IPv6Policy = .tunnel
    ) throws -> RoutePromise {
        RoutePromise(
            of: try #require(IPAddress(address)), included: Model.prefixes(included),
            RoutingReport(mode: mode, excluded: Model.prefixes(excluded), ipv6: ipv6))
    }

    @Test(arguments: RoutingMode.allCases)
    func whatIsIncludedGoesThroughTheTunnelInEveryMode(mode: RoutingMode) throws {
        #expect(try Self.promise("10.1.2.3", ["10.0.0.0/8"], mode) == .tunnel)
        #expect(try Self.promise("2001:db8::1", ["::/0"], mode, ipv6: .block) == .tunnel)
    }

    @Test(arguments: [
        (RoutingMode.plain, RoutePromise.outside), (.enforced, .outside), (.all, .held),
    ])
    func whatIsNotIncludedIsHeldOnlyWhereEverythingIsTheTunnels(
        mode: RoutingMode, promise: RoutePromise
    ) throws {
        #expect(try Self.promise("11.1.2.3", ["10.0.0.0/8"], mode) == promise)
        #expect(try Self.promise("2001:db8::1", ["10.0.0.0/8"], mode) == promise)
    }

    @Test func theLongestPrefixDecidesBetweenIncludedAndExcluded() throws {
        let included = ["10.0.0.0/8", "10.1.2.0/24"]
        let excluded = ["10.1.0.0/16", "10.1.2.128/25"]
        for (address, promise) in [
            ("10.9.9.9", RoutePromise.tunnel), ("10.1.9.9", .outside), ("10.1.2.3", .tunnel),
            ("10.1.2.200", .outside),
        ] {
            #expect(
                try Self.promise(address, included, .enforced, excluded: excluded) == promise,
                "\(address)")
        }
    }

    @Test func ofEqualPrefixesTheExcludedOneCounts() throws {
        #expect(
            try Self.promise("10.1.2.3", ["10.0.0.0/8"], .all, excluded: ["10.0.0.0/8"])
                == .outside)
    }

    @Test func blockedIPv6IsHeldInPlainModeToo() throws {
        #expect(try Self.promise("2001:db8::1", ["0.0.0.0/0"], .plain, ipv6: .block) == .held)
        #expect(try Self.promise("2001:db8::1", ["0.0.0.0/0"], .plain, ipv6: .leave) == .outside)
        #expect(try Self.promise("192.0.2.1", ["10.0.0.0/8"], .plain, ipv6: .block) == .outside)
    }
}
