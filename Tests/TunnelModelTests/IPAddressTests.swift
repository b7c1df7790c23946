import Glibc
import Testing
import TunnelModel

@Suite struct IPAddressTests {
    @Test(
        arguments: [
            ("0.0.0.0", [0, 0, 0, 0]),
            ("192.0.2.1", [192, 0, 2, 1]),
            ("255.255.255.255", [255, 255, 255, 255]),
        ] as [(String, [UInt8])])
    func readsV4(text: String, bytes: [UInt8]) throws {
        let address = try #require(IPAddress(text))
        #expect(address.family == .v4)
        #expect(address.bytes == bytes)
        #expect(address.description == text)
        #expect(IPAddress(family: .v4, bytes: bytes) == address)
    }

    @Test(arguments: [
        ("::", "::"),
        ("::1", "::1"),
        ("1::", "1::"),
        ("2001:DB8::0001", "2001:db8::1"),
        ("2001:db8:0:0:0:0:2:1", "2001:db8::2:1"),
        ("2001:db8:0:1:1:1:1:1", "2001:db8:0:1:1:1:1:1"),
        ("2001:0:0:1:0:0:0:1", "2001:0:0:1::1"),
        ("2001:db8:0:0:1:0:0:1", "2001:db8::1:0:0:1"),
        ("1:2:3:4:5:6:7::", "1:2:3:4:5:6:7:0"),
        ("::2:3:4:5:6:7:8", "0:2:3:4:5:6:7:8"),
        ("::ffff:192.0.2.33", "::ffff:192.0.2.33"),
        ("64:ff9b::192.0.2.33", "64:ff9b::c000:221"),
        ("1:2:3:4:5:6:1.2.3.4", "1:2:3:4:5:6:102:304"),
        ("ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"),
    ])
    func readsV6(text: String, canonical: String) throws {
        let address = try #require(IPAddress(text))
        #expect(address.family == .v6)
        #expect(address.description == canonical)
        #expect(IPAddress(canonical) == address)
        #expect(IPAddress(family: .v6, bytes: address.bytes) == address)
    }

    @Test(arguments: [
        "", " ", "1", "1.2.3", "1.2.3.4.5", "1.2.3.", ".1.2.3", "1..2.3", "01.2.3.4", "00.0.0.0",
        "256.0.0.1", "1.2.3.4 ", " 1.2.3.4", "1.2.3.-4", "0x1.2.3.4", "4294967296.0.0.0",
        ":", ":::", "1:", ":1", "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9", "1:2:3:4:5:6:7:8::",
        "1:2:3:4::5:6:7:8", "1::2::3", "12345::", "g::", "::1%lo", "fe80::1%eth0", "::1.2.3",
        "::1.2.3.4:5", "1:2:3:4:5:6:7:1.2.3.4", "::01.2.3.4", "[::1]", "::1/128", "1.2.3.4\0",
    ])
    func refuses(text: String) {
        #expect(IPAddress(text) == nil)
    }

    @Test func refusesAWrongNumberOfBytes() {
        #expect(IPAddress(family: .v4, bytes: []) == nil)
        #expect(IPAddress(family: .v4, bytes: Array(repeating: 0, count: 16)) == nil)
        #expect(IPAddress(family: .v6, bytes: [1, 2, 3, 4]) == nil)
    }

    /// The C library is an independent reader and writer of the same texts.
    @Test func agreesWithTheCLibrary() throws {
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<2_000 {
            // Half of the groups are zero, so that runs of zeros of every length come up.
            let bytes = (0..<8).flatMap { _ -> [UInt8] in
                let group = Bool.random(using: &generator) ? 0 : UInt16.random(in: 1...0xffff)
                return [UInt8(group >> 8), UInt8(group & 255)]
            }
            // inet_ntop writes ::a.b.c.d for these, RFC 5952 does not.
            if bytes.prefix(12).allSatisfy({ $0 == 0 }) { continue }
            let address = try #require(IPAddress(family: .v6, bytes: bytes))
            var buffer = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
            #expect(inet_ntop(AF_INET6, bytes, &buffer, socklen_t(buffer.count)) != nil)
            let text = String(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init), as: UTF8.self)
            #expect(address.description == text)
            #expect(IPAddress(text) == address)
        }
    }

    @Test(arguments: [
        ("127.0.0.1", "loopback"), ("127.255.255.255", "loopback"), ("128.0.0.0", ""),
        ("::1", "loopback"), ("::2", ""), ("169.254.0.1", "link-local"), ("169.253.0.1", ""),
        ("fe80::1", "link-local"), ("febf::1", "link-local"), ("fec0::1", ""),
        ("224.0.0.1", "multicast"), ("239.1.1.1", "multicast"), ("240.0.0.1", ""),
        ("ff02::1", "multicast"), ("fe00::1", ""), ("0.0.0.0", "unspecified"),
        ("::", "unspecified"), ("0.0.0.1", ""), ("::ffff:127.0.0.1", ""),
    ])
    func classifies(text: String, kind: String) throws {
        let address = try #require(IPAddress(text))
        #expect(address.isLoopback == (kind == "loopback"))
        #expect(address.isLinkLocal == (kind == "link-local"))
        #expect(address.isMulticast == (kind == "multicast"))
        #expect(address.isUnspecified == (kind == "unspecified"))
    }

    @Test func ordersByFamilyThenNumber() throws {
        let texts = ["0.0.0.1", "9.0.0.0", "10.0.0.0", "::", "::1", "2001:db8::", "ff00::"]
        let addresses = texts.compactMap { IPAddress($0) }
        #expect(addresses.count == texts.count)
        #expect(addresses.reversed().sorted() == addresses)
    }
}
