import Testing
import TunnelModel

@Suite struct IPPrefixTests {
    /// A network, one's own addresses, and the address that stands for it.
    @Test(arguments: [
        ("10.98.0.0/16", ["10.98.0.9"], "10.98.0.1"),
        ("10.98.0.0/16", ["10.98.0.1"], "10.98.0.2"),
        ("10.98.0.0/30", ["10.98.0.1"], "10.98.0.2"),
        ("10.98.0.1/32", ["10.98.0.1"], "10.98.0.1"),
        ("10.98.0.0/31", ["10.98.0.0"], "10.98.0.0"),
        ("fd98::/64", ["fd98::1"], "fd98::2"),
    ])
    func onesOwnAddressStandsForNoNetworkThatHasAnother(
        network: String,
        own: [String],
        expected: String
    ) throws {
        let addresses = Set(own.compactMap { IPAddress($0) })
        let samples = try #require(IPPrefix(network)).samples(besides: addresses)
        #expect(samples.map(\.description) == [expected])
    }

    @Test(arguments: [
        ("10.9.0.2/24", "10.9.0.2/24", "10.9.0.0/24"),
        ("10.9.0.2", "10.9.0.2/32", "10.9.0.2/32"),
        ("0.0.0.0/0", "0.0.0.0/0", "0.0.0.0/0"),
        ("1.2.3.4/0", "1.2.3.4/0", "0.0.0.0/0"),
        ("255.255.255.255/1", "255.255.255.255/1", "128.0.0.0/1"),
        ("FD00:9::2/64", "fd00:9::2/64", "fd00:9::/64"),
        ("::1", "::1/128", "::1/128"),
        ("2001:db8:ffff::/33", "2001:db8:ffff::/33", "2001:db8:8000::/33"),
    ])
    func reads(text: String, description: String, masked: String) throws {
        let prefix = try #require(IPPrefix(text))
        #expect(prefix.description == description)
        #expect(prefix.masked.description == masked)
        #expect(prefix.hasHostBits == (description != masked))
        #expect(!prefix.masked.hasHostBits)
        #expect(prefix.isDefault == masked.hasSuffix("/0"))
    }

    @Test(arguments: [
        "", "/", "/24", "10.0.0.0/", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/+1", "10.0.0.0/08",
        "10.0.0.0/00", "10.0.0.0/ 8", "10.0.0.0/8/8", "10.0.0.0/255.0.0.0", "::/129", "::/1000",
        "10.0.0/8", "::/9999999999999999999999",
    ])
    func refuses(text: String) {
        #expect(IPPrefix(text) == nil)
    }

    @Test func refusesALengthThatTheFamilyHasNot() throws {
        let address = try #require(IPAddress("192.0.2.1"))
        #expect(IPPrefix(address: address, length: 33) == nil)
        #expect(IPPrefix(address: address, length: -1) == nil)
        #expect(IPPrefix(address: address, length: 32) == IPPrefix(host: address))
    }

    @Test(arguments: [
        ("10.0.0.0/8", "10.1.2.3/32", true),
        ("10.0.0.0/8", "10.0.0.0/8", true),
        ("10.0.0.0/8", "10.0.0.0/7", false),
        ("10.0.0.0/8", "11.0.0.0/16", false),
        ("10.9.9.9/8", "10.1.0.0/16", true),
        ("0.0.0.0/0", "255.255.255.255/32", true),
        ("0.0.0.0/0", "::/0", false),
        ("::/0", "10.0.0.0/8", false),
        ("::/0", "ffff::/16", true),
        ("fd00::/8", "fd00:9::2/64", true),
        ("fd00::/8", "fc00::/8", false),
    ])
    func contains(outer: String, inner: String, expected: Bool) throws {
        let outer = try #require(IPPrefix(outer))
        let inner = try #require(IPPrefix(inner))
        #expect(outer.contains(inner) == expected)
        if expected { #expect(outer.contains(inner.address)) }
    }

    @Test(
        arguments: [
            ([], .v4, false),
            (["0.0.0.0/0"], .v4, true),
            (["0.0.0.0/0"], .v6, false),
            (["::/0"], .v6, true),
            (["0.0.0.0/1", "128.0.0.0/1"], .v4, true),
            (["128.0.0.0/1", "0.0.0.0/1"], .v4, true),
            (["0.0.0.0/1"], .v4, false),
            (["128.0.0.0/1"], .v4, false),
            (["0.0.0.0/1", "10.0.0.0/8", "128.0.0.0/1"], .v4, true),
            (["0.0.0.0/1", "128.0.0.0/2"], .v4, false),
            (["0.0.0.0/1", "192.0.0.0/2"], .v4, false),
            (["0.0.0.0/1", "128.0.0.0/2", "192.0.0.0/2"], .v4, true),
            (["1.2.3.4/1", "200.0.0.1/1"], .v4, true),
            (["::/1", "8000::/1"], .v6, true),
            (["::/1", "8000::/2", "c000::/3", "e000::/3"], .v6, true),
            (["2000::/3"], .v6, false),
        ] as [([String], IPAddress.Family, Bool)])
    func coversWholeFamily(texts: [String], family: IPAddress.Family, expected: Bool) {
        let prefixes = texts.compactMap { IPPrefix($0) }
        #expect(IPPrefix.coversWholeFamily(prefixes, family) == expected)
    }

    /// Every address but one: the split that "all but the server" makes.
    @Test func theGapOfOneAddressIsSeen() throws {
        let hole = try #require(IPAddress("192.0.2.1"))
        let others = (1...32).compactMap { length in
            IPPrefix(
                address: IPAddress(v4: UInt32(hole.number) ^ 1 << UInt32(32 - length)),
                length: length
            )
        }
        #expect(!IPPrefix.coversWholeFamily(others, .v4))
        #expect(IPPrefix.coversWholeFamily(others + [IPPrefix(host: hole)], .v4))
    }
}
