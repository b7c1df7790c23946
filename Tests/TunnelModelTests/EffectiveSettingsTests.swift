import Testing
import TunnelModel

/// What a provider asks for, what its configuration allows, and what comes of it.
private struct Wish: CustomTestStringConvertible {
    var testDescription: String
    var addresses = ["10.9.0.2/24"]
    var routes: [String]?
    var configured: [String]?
    var mtu: UInt32?
    var configuredMTU: UInt32?
    var overhead: UInt32?
    /// What is in force.
    var expected: [String] = []
    var expectedMTU: UInt32 = 1500
    /// The keys of the rejections; none where the wish is granted.
    var rejected: [String] = []

    init(_ description: String, _ change: (inout Wish) -> Void) {
        testDescription = description
        change(&self)
    }

    var outcome: EffectiveSettings.Outcome {
        var asked = NetworkSettings()
        asked.addresses = Model.prefixes(addresses)
        asked.includedRoutes = routes.map(Model.prefixes)
        asked.mtu = mtu
        asked.overhead = overhead
        var configuration = Configuration(identifier: Model.identifier, name: "office")
        configuration.routing.includedRoutes = configured.map(Model.prefixes)
        configuration.interface.mtu = configuredMTU
        return EffectiveSettings.derive(from: asked, for: configuration)
    }
}

@Suite struct EffectiveSettingsTests {
    @Test(arguments: [
        Wish("no wish and no list: no routes") { _ in },
        Wish("null is what the provider asks") {
            $0.routes = ["10.1.0.0/16", "10.2.0.0/16"]
            $0.expected = ["10.1.0.0/16", "10.2.0.0/16"]
        },
        Wish("host bits are masked, the same route twice is one") {
            $0.routes = ["10.1.2.3/16", "10.1.0.0/16", "10.1.9.9/16"]
            $0.expected = ["10.1.0.0/16"]
        },
        Wish("a list is exactly these, however little is asked") {
            $0.routes = ["10.1.2.0/24"]
            $0.configured = ["10.1.0.0/16", "10.2.0.7/16"]
            $0.expected = ["10.1.0.0/16", "10.2.0.0/16"]
        },
        Wish("a list is exactly these, where nothing is asked") {
            $0.configured = ["0.0.0.0/0"]
            $0.expected = ["0.0.0.0/0"]
        },
        Wish("an empty list is none") { $0.configured = [] },
        Wish("a default route that the configuration itself has") {
            $0.routes = ["0.0.0.0/0", "8.0.0.0/8"]
            $0.configured = ["0.0.0.0/0", "::/0"]
            $0.expected = ["0.0.0.0/0", "::/0"]
        },
        Wish("half of everything is not everything") {
            $0.routes = ["0.0.0.0/1"]
            $0.expected = ["0.0.0.0/1"]
        },
        Wish("two peers with the same network") {
            $0.addresses = ["10.9.0.2/24", "10.9.0.2/24", "10.9.0.3/24"]
        },
        Wish("the provider's MTU") {
            $0.mtu = 1280
            $0.expectedMTU = 1280
        },
        Wish("the configuration's MTU replaces the provider's") {
            $0.mtu = 1280
            $0.configuredMTU = 9000
            $0.expectedMTU = 9000
        },
        Wish("what the protocol adds is taken off") {
            $0.overhead = 80
            $0.expectedMTU = 1420
        },
        Wish("IPv6 has its least, whatever the overhead leaves") {
            $0.addresses = ["fd00:9::2/64"]
            $0.overhead = 1024
            $0.expectedMTU = 1280
        },
        Wish("an MTU is not lessened again by the overhead") {
            $0.mtu = 1400
            $0.overhead = 80
            $0.expectedMTU = 1400
        },
        Wish("a small MTU without IPv6") {
            $0.mtu = 576
            $0.expectedMTU = 576
        },
        Wish("the least MTU of IPv6") {
            $0.addresses = ["fd00:9::2/64"]
            $0.mtu = 1280
            $0.expectedMTU = 1280
        },
    ])
    fileprivate func isGranted(_ wish: Wish) throws {
        guard case .accepted(let settings) = wish.outcome else {
            Issue.record("\(wish.outcome)")
            return
        }
        #expect(settings.includedRoutes == Model.prefixes(wish.expected))
        #expect(settings.mtu == wish.expectedMTU)
        #expect(Set(settings.addresses) == Set(Model.prefixes(wish.addresses)))
        #expect(Set(settings.addresses).count == settings.addresses.count)
    }

    @Test(arguments: [
        Wish("wider than the configuration") {
            $0.routes = ["10.0.0.0/8", "10.1.0.0/16"]
            $0.configured = ["10.1.0.0/16"]
            $0.rejected = ["includedRoutes"]
        },
        Wish("wider than the configuration, from the same address on") {
            $0.routes = ["10.1.0.0/15", "10.1.0.0/8"]
            $0.configured = ["10.0.0.0/16", "10.1.0.0/16"]
            $0.rejected = ["includedRoutes", "includedRoutes"]
        },
        Wish("beside the configuration") {
            $0.routes = ["10.2.0.0/16"]
            $0.configured = ["10.1.0.0/16"]
            $0.rejected = ["includedRoutes"]
        },
        Wish("of another family than the configuration") {
            $0.routes = ["::/96"]
            $0.configured = ["0.0.0.0/0"]
            $0.rejected = ["includedRoutes"]
        },
        Wish("anything where the configuration wants no routes") {
            $0.routes = ["10.1.0.0/32"]
            $0.configured = []
            $0.rejected = ["includedRoutes"]
        },
        Wish("a default route that the configuration does not have") {
            $0.routes = ["0.0.0.0/0"]
            $0.rejected = ["includedRoutes"]
        },
        Wish("a default route with host bits") {
            $0.routes = ["10.1.2.3/0"]
            $0.rejected = ["includedRoutes"]
        },
        Wish("a default route in two halves") {
            $0.routes = ["128.0.0.0/1", "0.0.0.0/1"]
            $0.rejected = ["includedRoutes"]
        },
        Wish("a default route in many parts") {
            $0.routes = ["0.0.0.0/2", "64.0.0.0/2", "128.0.0.0/3", "160.0.0.0/3", "192.0.0.0/2"]
            $0.rejected = ["includedRoutes"]
        },
        Wish("default routes of both families") {
            $0.routes = ["::/1", "8000::/1", "0.0.0.0/0"]
            $0.rejected = ["includedRoutes", "includedRoutes"]
        },
        Wish("loopback, link-local and multicast") {
            $0.routes = [
                "127.0.0.0/8", "127.0.0.1/32", "::1/128", "169.254.0.0/16", "fe80::/64",
                "224.0.0.0/4", "ff00::/8",
            ]
            $0.rejected = [String](repeating: "includedRoutes", count: 7)
        },
        Wish("loopback that the configuration itself lists") {
            $0.configured = ["127.0.0.0/8"]
            $0.rejected = ["includedRoutes"]
        },
        Wish("no address") {
            $0.addresses = []
            $0.rejected = ["addresses"]
        },
        Wish("more addresses than any tunnel has") {
            $0.addresses = (0..<65).map { "10.9.0.\($0)/24" }
            $0.rejected = ["addresses"]
        },
        Wish("addresses that are none for a tunnel") {
            $0.addresses = [
                "127.0.0.1/8", "::1/128", "169.254.1.1/16", "fe80::1/64", "224.0.0.1/32",
                "ff02::1/128", "0.0.0.0/8", "::/128",
            ]
            $0.rejected = [String](repeating: "addresses", count: 8)
        },
        Wish("a default route by way of the network of an address") {
            $0.addresses = ["128.0.0.1/1", "64.0.0.1/2", "10.0.0.1/0", "2001:db8::1/1"]
            $0.rejected = [String](repeating: "addresses", count: 4)
        },
        Wish("IPv6 in too small an MTU of the provider") {
            $0.addresses = ["fd00:9::2/64"]
            $0.mtu = 1279
            $0.rejected = ["mtu"]
        },
        Wish("IPv6 routes in too small an MTU of the configuration") {
            $0.routes = ["fd00:9::/64"]
            $0.configuredMTU = 1279
            $0.rejected = ["mtu"]
        },
    ])
    fileprivate func isRejected(_ wish: Wish) {
        guard case .rejected(let rejections) = wish.outcome else {
            Issue.record("granted")
            return
        }
        #expect(rejections.map(\.key) == wish.rejected)
        #expect(!rejections.contains { $0.text.isEmpty })
    }

    private func resolver(asked: DNSSettings?, configured: DNSSettings = DNSSettings())
        -> EffectiveSettings.Outcome
    {
        var wish = NetworkSettings()
        wish.addresses = Model.prefixes(["10.9.0.2/24"])
        wish.dns = asked
        var configuration = Configuration(identifier: Model.identifier, name: "office")
        configuration.dns = configured
        return EffectiveSettings.derive(from: wish, for: configuration)
    }

    @Test func theResolverIsTheConfigurationsOrElseTheProviders() throws {
        var own = DNSSettings()
        own.servers = [IPAddress(v4: 0xC000_0202)]
        for (asked, configured, expected) in [
            (nil, DNSSettings(), nil), (DNSSettings(), DNSSettings(), nil),
            (Model.resolver, DNSSettings(), Model.resolver), (nil, own, own),
            (Model.resolver, own, own),
        ] {
            guard case .accepted(let settings) = resolver(asked: asked, configured: configured)
            else {
                Issue.record("not accepted: \(String(describing: asked)), \(configured)")
                continue
            }
            #expect(settings.dns == expected)
        }
    }

    @Test(arguments: ["searchDomains", "matchDomains", "tls"])
    func aResolverWithoutServersIsRejected(key: String) {
        var dns = DNSSettings()
        if key == "searchDomains" { dns.searchDomains = ["example.org"] }
        if key == "matchDomains" { dns.matchDomains = ["example.org"] }
        if key == "tls" { dns.tls = true }
        #expect(dns.keyWithoutServers == key)
        let rejection = SettingsRejection(
            key: "dns", text: "dns.\(key) means nothing without dns.servers")
        #expect(resolver(asked: dns) == .rejected([rejection]))
    }

    @Test func withoutIPv6ServersOfIPv4AreLeftUnlessThereAreNone() {
        #expect(Model.resolver.withoutIPv6.servers.map(\.description) == ["192.0.2.53"])
        var only = DNSSettings()
        only.servers = Model.resolver.servers.filter { $0.family == .v6 }
        #expect(only.withoutIPv6 == only)
    }

    @Test func aFloodOfWrongWishesIsAnsweredInFewWords() {
        var asked = NetworkSettings()
        asked.addresses = Model.prefixes(["10.9.0.2/24"])
        asked.includedRoutes = (0..<40_000).map { IPPrefix(host: IPAddress(v4: $0 << 8)) }
        var configuration = Configuration(identifier: Model.identifier, name: "office")
        configuration.routing.includedRoutes = (0..<10_000).compactMap {
            IPPrefix(address: IPAddress(v4: 0xC000_0000 | $0 << 8), length: 24)
        }
        guard case .rejected(let few) = EffectiveSettings.derive(from: asked, for: configuration)
        else {
            Issue.record("granted")
            return
        }
        #expect(few.count == 17)
        #expect(few.last == SettingsRejection(key: "includedRoutes", text: "and 39984 more"))

        asked.includedRoutes = (0...UInt32(EffectiveSettings.mostRoutes)).map {
            IPPrefix(host: IPAddress(v4: $0 << 8))
        }
        #expect(
            EffectiveSettings.derive(from: asked, for: configuration)
                == .rejected([
                    SettingsRejection(key: "includedRoutes", text: "more than 50000 routes")
                ]))
    }
}
