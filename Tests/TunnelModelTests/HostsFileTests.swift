import Testing
import TunnelModel

@Suite struct HostsFileTests {
    private func addresses(of name: String, in text: String) -> [String]? {
        HostsFile.addresses(of: [name], in: Array(text.utf8))[name]?.map(\.description)
    }

    @Test(arguments: [
        ("192.0.2.1 vpn", ["192.0.2.1"]),
        ("192.0.2.1\tother vpn third\n", ["192.0.2.1"]),
        ("  192.0.2.1 \t VPN  ", ["192.0.2.1"]),
        ("192.0.2.1 vpn.", ["192.0.2.1"]),
        ("192.0.2.1 vpn # comment", ["192.0.2.1"]),
        ("192.0.2.1 vpn#comment", ["192.0.2.1"]),
        ("192.0.2.1 vpn\r\n192.0.2.2 vpn\r\n", ["192.0.2.1", "192.0.2.2"]),
        ("2001:DB8::1 vpn\n192.0.2.1 vpn", ["2001:db8::1", "192.0.2.1"]),
        ("nonsense vpn\n\n#\n192.0.2.1 vpn", ["192.0.2.1"]),
    ])
    func finds(text: String, expected: [String]) {
        #expect(addresses(of: "vpn", in: text) == expected)
        #expect(addresses(of: "Vpn.", in: text) == expected)
    }

    @Test(arguments: [
        "", "\n", "192.0.2.1", "# 192.0.2.1 vpn", "192.0.2.1 # vpn", "192.0.2.1 vpn.example.org",
        "192.0.2.1 vpn2", "192.0.2.300 vpn", "vpn 192.0.2.1", "fe80::1%eth0 vpn", "192.0.2.1 .",
        "192.0.2.1 vpn\0",
    ])
    func doesNotFind(text: String) {
        #expect(addresses(of: "vpn", in: text) == nil)
    }

    @Test func severalNamesAreFoundInOneReading() {
        let text = Array("192.0.2.1 a b\n192.0.2.2 b c\n".utf8)
        let found = HostsFile.addresses(of: ["a", "b", "B", "d"], in: text)
        #expect(found.mapValues(\.count) == ["a": 1, "b": 2, "B": 2])
    }

    @Test func bytesThatAreNoTextDoNoHarm() {
        let text: [UInt8] =
            [0xFF, 0xFE, 0x0A, 0x80, 0x20, 0x80, 0x0A] + Array("192.0.2.1 vpn".utf8)
        #expect(HostsFile.addresses(of: ["vpn"], in: text)["vpn"]?.count == 1)
    }
}
