import Testing
import TunnelModel

@Suite struct NamingTests {
    @Test(arguments: [
        "a", "0", "office", "Office-2", "a_b.c-d", "a..", "A", "al", "alll", "ALL",
        String(repeating: "a", count: 64),
    ])
    func namesOfConfigurations(name: String) {
        #expect(Naming.problem(ofConfiguration: name) == nil)
    }

    @Test(arguments: [
        "", "all", ".", "..", "-a", "_a", ".a", "a b", "a/b", "a\n", "a\u{0}", "ä", "a\u{301}",
        "a\u{200B}", "--json", "a:b", "a%d", "\u{212A}", String(repeating: "a", count: 65),
    ])
    func noNamesOfConfigurations(name: String) {
        #expect(Naming.problem(ofConfiguration: name) != nil)
    }

    @Test(arguments: [
        "u", "utun0", "utun%d", "%d", "%dx", "a%db", "wg-office", "tun.5", "...", "ünlü",
        "123456789012345", "1234567890123%d",
    ])
    func namesOfInterfaces(name: String) {
        #expect(Naming.problem(ofInterface: name) == nil)
    }

    @Test(arguments: [
        "", ".", "..", "a/b", "a b", "a\tb", "a\n", "a\u{B}", "a\u{1}b", "a\u{7F}", "a:1",
        "%", "%%", "%d%d", "%s", "a%", "%%d", "%D", "% d", "%d\u{301}",
        // The kernel's isspace() finds a Latin-1 blank in the second byte of `à`.
        "u-à", "a\u{A0}b", "a\u{0}",
    ])
    func noNamesOfInterfaces(name: String) {
        #expect(Naming.problem(ofInterface: name) != nil)
    }

    @Test(arguments: ["1234567890123456", "12345678901234%d", "ääääääää", "a-name-that-is-20-long"])
    func anInterfaceNameTooLongIsToldSoAndNotMissing(name: String) throws {
        let problem = try #require(Naming.problem(ofInterface: name))
        #expect(
            problem == "an interface name has at most 15 bytes, this one has \(name.utf8.count)")
    }

    @Test(arguments: ["org.utunctl.loopback", "a.b", "org.example.a-b_c", "0.1"])
    func identifiersOfProviders(name: String) {
        #expect(Naming.problem(ofProvider: name) == nil)
    }

    @Test(arguments: [
        "", "thing", "org.", ".org", "org..thing", "../thing", "org/thing.x", "org.thing x",
        "örg.thing", "org.\u{301}thing", "a." + String(repeating: "b", count: 254),
    ])
    func noIdentifiersOfProviders(name: String) {
        #expect(Naming.problem(ofProvider: name) != nil)
    }
}

@Suite struct CredentialReferenceTests {
    @Test(
        arguments: [
            ("file:office.key", .file("office.key")), ("file:a/b.key", .file("a/b.key")),
            ("file:/etc/x/key", .file("/etc/x/key")), ("file:..key", .file("..key")),
            ("file:a..b", .file("a..b")), ("file: ", .file(" ")),
            ("credential:office", .systemd("office")), ("credential:a.b-c", .systemd("a.b-c")),
        ] as [(String, CredentialReference)])
    func reads(text: String, expected: CredentialReference) {
        #expect(CredentialReference(text) == expected)
    }

    @Test(arguments: [
        "", "office.key", "file", "file:", "file:/", "file:a/", "file:.", "file:a/.", "FILE:a",
        " file:a", "env:KEY", "hunter2", "file:a\u{0}b",
        "credential:", "credential:.", "credential:..", "credential:a/b", "credential:/",
        "credential:/\u{301}x", "credential:a\u{0}",
    ])
    func refuses(text: String) {
        #expect(CredentialReference(text) == nil)
    }

    @Test(arguments: [
        "file:..", "file:../key", "file:a/../key", "file:/etc/../key", "file:a/..",
        // A combining character behind the slash makes another Character of it, but the
        // kernel cuts paths at bytes.
        "file:../\u{301}key", "file:a/../\u{301}key", "file:a/\u{301}/../../key",
    ])
    func aPathDoesNotClimbOutOfItsDirectory(text: String) {
        #expect(CredentialReference(text) == nil)
    }
}

@Suite struct ServerAddressTests {
    @Test(
        arguments: [
            ("vpn.example.org", "vpn.example.org", nil),
            ("vpn.example.org:51820", "vpn.example.org", 51820),
            ("vpn.example.org.:443", "vpn.example.org.", 443),
            ("localhost", "localhost", nil), ("a_b-c.d", "a_b-c.d", nil), ("1a", "1a", nil),
            ("192.0.2.1", "192.0.2.1", nil), ("192.0.2.1:1", "192.0.2.1", 1),
            ("2001:db8::1", "2001:db8::1", nil), ("::", "::", nil),
            ("[2001:db8::1]", "2001:db8::1", nil), ("[2001:db8::1]:65535", "2001:db8::1", 65535),
            ("[::ffff:192.0.2.1]:53", "::ffff:192.0.2.1", 53),
        ] as [(String, String, UInt16?)])
    func reads(text: String, host: String, port: UInt16?) throws {
        let address = try #require(ServerAddress(text))
        #expect(address.host == host)
        #expect(address.port == port)
        #expect(address.literal == IPAddress(host))
    }

    @Test(arguments: [
        "", ":", ":53", "a:", "a:0", "a:65536", "a:-1", "a:+1", "a:b", "a:1:2", "a: 1", "a:１",
        "[::1", "::1]", "[]", "[]:53", "[a]:53", "[192.0.2.1]:53", "[::1]53", "[::1]:",
        "[::1]:0", "[::1]x:1", "[fe80::1%eth0]:1", "fe80::1%eth0", "a b", "a..b", ".a", ".",
        "-a", "a-", "a.-b", "ä.example", "a\u{301}", "a/b", "http://a", "user@a",
        // Mistyped IPv4 addresses are no names.
        "256.0.0.1", "192.0.2", "192.0.2.1.5", "1", "192.0.2.01",
        String(repeating: "a", count: 64),
        (0..<64).map { _ in "abc" }.joined(separator: "."),
    ])
    func refuses(text: String) {
        #expect(ServerAddress(text) == nil)
    }
}
