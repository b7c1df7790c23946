import Enrolment
import JSON
import Testing
import TunnelModel

@Suite struct QuickFileTests {
    @Test func everyKeyComesToItsPlace() throws {
        let file = try QuickFiles.read(QuickFiles.client)
        let material = file.material(named: "office")
        #expect(
            material.secrets.mapValues { String(decoding: $0.bytes, as: UTF8.self) } == [
                "office.privateKey": QuickFiles.privateKey,
                "office.presharedKey1": QuickFiles.presharedKey,
            ])
        #expect(
            material.profile
                == EnrolledProfile(
                    identifier: "office",
                    anchors: [
                        TrustAnchor(name: "peer1", kind: .wireguard, value: QuickFiles.publicKey),
                        TrustAnchor(name: "peer2", kind: .wireguard, value: QuickFiles.otherKey),
                    ], credentials: ["office.presharedKey1", "office.privateKey"]))
        var configuration = Configuration(identifier: "", name: "office")
        try #require(material.tunnels.first).configure(&configuration)
        #expect(configuration.provider == "org.utunctl.wireguard")
        #expect(configuration.trust == ["office/peer1", "office/peer2"])
        #expect(
            configuration.credentials == [
                "privateKey": "file:office.privateKey",
                "presharedKey1": "file:office.presharedKey1",
            ])
        #expect(configuration.interface.mtu == 1380)
        #expect(configuration.routing.includedRoutes == nil)
        #expect(configuration.providerConfigurationError == nil)
        #expect(configuration.normalized().configuration == configuration)
        let own = try WireGuardConfiguration(configuration.providerConfiguration)
        #expect(own == file.tunnel(named: "office", of: "office").own)
        #expect(own.addresses.map(\.description) == ["10.9.0.2/24", "fd00:9::2/64"])
        #expect(own.listenPort == 51820)
        let first = try #require(own.peers.first)
        #expect(first.endpoint?.text == "vpn.example.org:51820")
        #expect(first.allowedIPs.map(\.description) == ["0.0.0.0/0", "::/0"])
        #expect(first.persistentKeepalive == 25 && first.presharedKey == "presharedKey1")
        let second = try #require(own.peers.last)
        #expect(second.endpoint?.text == "[2001:db8::1]:443")
        #expect(second.persistentKeepalive == nil && second.presharedKey == nil)
    }

    @Test func whatTheFileSaysNothingAboutStaysAsItWas() throws {
        var configuration = Configuration(identifier: "x", name: "office")
        configuration.title = "The office"
        configuration.stopTimeout = 7
        configuration.interface.name = "office0"
        configuration.interface.mtu = 1300
        configuration.serverAddress = "old.example.org"
        try QuickFiles.read(QuickFiles.file()).tunnel(named: "office", of: "office")
            .configure(&configuration)
        #expect(configuration.title == "The office" && configuration.stopTimeout == 7)
        #expect(configuration.interface.name == "office0")
        // What a file can say is as it says.
        #expect(configuration.interface.mtu == nil && configuration.serverAddress == nil)
    }

    /// The same file as different systems and editors write it: what is replaced by what.
    @Test(
        arguments: [
            ("CRLF", ["\n": "\r\n"]),
            ("CR", ["\n": "\r"]),
            ("a byte-order mark", ["# what": "\u{FEFF}# what"]),
            ("no last newline", ["off\n": "off"]),
            ("small letters", ["PublicKey": "publickey", "Address": "address", "MTU": "mtu"]),
            ("capital letters", ["[Peer]": "[PEER]", "Endpoint": "ENDPOINT"]),
            ("blanks in a section", ["[Peer]": "\t[ Peer ] # one"]),
            ("no blanks", [" = ": "="]),
            ("tabs", [" = ": "\t=\t"]),
            ("blanks around lines", ["\n": "  \t\n \t"]),
            ("no blanks in lists", [", ": ","]),
            ("blanks before commas", [", ": " ,\t"]),
            (
                "a list as two keys",
                ["0.0.0.0/0, ": "0.0.0.0/0\nAllowedIPs = ", "2/24, ": "2/24\nAddress = "]
            ),
            ("addresses between blanks", ["24, fd00": "24 fd00"]),
        ] as [(String, [String: String])])
    func theSameFileIsTheSameModel(what: String, changes: [String: String]) throws {
        var changed = QuickFiles.client
        for (old, new) in changes {
            #expect(changed.contains(old), "\(what) changes nothing")
            changed = changed.replacing(old, with: new)
        }
        #expect(try QuickFiles.model(changed.utf8) == QuickFiles.model(QuickFiles.client.utf8))
    }

    @Test(arguments: [
        "10.0.0.1,,10.0.0.2", "10.0.0.1, ,10.0.0.2", "10.0.0.1,10.0.0.2,", ",10.0.0.1,10.0.0.2",
    ])
    func emptyItemsOfListsAreAlwaysIgnoredAndSaid(list: String) throws {
        for key in ["Address", "AllowedIPs"] {
            let isAddress = key == "Address"
            let file = try QuickFiles.read(
                isAddress
                    ? QuickFiles.file(interface: "Address = \(list)")
                    : QuickFiles.file(peer: "AllowedIPs = \(list)"))
            let found =
                isAddress
                ? file.addresses.dropFirst().map(\.value.description)
                : file.peers.flatMap(\.allowedIPs).map(\.value.description)
            #expect(found == ["10.0.0.1/32", "10.0.0.2/32"])
            #expect(
                file.remarks.filter { $0.text.contains("empty") } == [
                    EnrolmentItem(
                        line: isAddress ? 4 : 7, key: key, outcome: .noted,
                        text: "empty items are ignored")
                ])
        }
    }

    @Test func aPeerWithoutNetworksIsTakenAndSaid() throws {
        for peer in ["AllowedIPs =", ""] {
            let file = try QuickFiles.read(QuickFiles.file(peer: peer))
            #expect(file.peers.first?.allowedIPs.isEmpty == true)
            #expect(file.remarks.contains { $0.line == 5 && $0.outcome == .noted })
        }
    }

    @Test func hostBitsAreMaskedAndEqualNetworksMergedWithTheirLines() throws {
        let file = try QuickFiles.read(
            QuickFiles.file(
                peer: "AllowedIPs = 10.77.77.1/24, 128.0.0.0/0\nAllowedIPs = 0.0.0.0/0, 1::1/127"))
        #expect(
            file.peers.first?.allowedIPs.map(\.value.description)
                == ["10.77.77.0/24", "0.0.0.0/0", "1::/127"])
        let remarks = file.remarks.filter { $0.key == QuickKey.allowedIPs.rawValue }
        #expect(remarks.map(\.line) == [7, 7, 8, 8])
        #expect(remarks.allSatisfy { $0.outcome == .changed })
        #expect(remarks[1].text == "128.0.0.0/0 has host bits, taken as 0.0.0.0/0")
        #expect(remarks[2].text == "0.0.0.0/0 stands there already, merged")
    }

    @Test func theSameNetworkInHostBitsOnlyIsNotGivenToTheLastPeerInSilence() {
        let text =
            QuickFiles.file(peer: "AllowedIPs = 10.100.0.2/24")
            + "\n[Peer]\nPublicKey = \(QuickFiles.otherKey)\nAllowedIPs = 10.100.0.3/24\n"
        let error = QuickFiles.error(text.utf8)
        #expect(
            error?.text
                == "line 10: AllowedIPs: 10.100.0.0/24 belongs to the peer of line 5 already")
        #expect(error?.hint == "host bits do not count: a single address is a /32 or /128")
    }

    @Test func zerosStandForNoPresharedKey() throws {
        let zeros = String(repeating: "A", count: 43) + "="
        let file = try QuickFiles.read(QuickFiles.file(peer: "PresharedKey = \(zeros)"))
        #expect(file.peers.first?.presharedKey == nil)
        #expect(file.material(named: "x").secrets.count == 1)
        #expect(file.remarks.contains { $0.key == "PresharedKey" && $0.line == 7 })
    }

    @Test(arguments: [
        ("ListenPort = 0", ""), ("", "PersistentKeepalive = 0"), ("", "PersistentKeepalive = OFF"),
        ("Table = auto", ""), ("FwMark = off", ""), ("FwMark = 0", ""), ("SaveConfig = false", ""),
    ])
    func whatSaysNothingIsNothing(interface: String, peer: String) throws {
        let plain = QuickFiles.file()
        let text = QuickFiles.file(interface: interface, peer: peer)
        #expect(try QuickFiles.model(text.utf8) == QuickFiles.model(plain.utf8))
        #expect(try !QuickFiles.read(text).report(named: "x").contains { $0.outcome == .dropped })
    }

    @Test func withoutATableThereAreNoRoutes() throws {
        let file = try QuickFiles.read(QuickFiles.file(interface: "Table = OFF"))
        #expect(file.tunnel(named: "x", of: "x").includedRoutes == [])
    }

    @Test(arguments: [
        "DNS = example.org, example.net", "Table = 1234", "Table = vpn", "FwMark = 0xca6c",
        "FwMark = 51820", "SaveConfig = true", "PreUp = x", "PostUp = ip rule; # x",
        "PreDown = x", "PostDown = iptables -A INPUT -i %i -j DROP",
        "IncludedApplications = a", "ExcludedApplications = b",
    ])
    func whatIsNotInForceIsNamedWithItsLine(line: String) throws {
        let file = try QuickFiles.read(QuickFiles.file(interface: line))
        let dropped = file.report(named: "x").filter { $0.outcome == .dropped }
        #expect(dropped.map(\.line) == [4])
        #expect(dropped.map(\.key) == [String(line.prefix { $0 != " " })])
        #expect(dropped.first?.text.isEmpty == false)
        #expect(file.tunnel(named: "x", of: "x").includedRoutes == nil)
    }

    @Test func addressesAreServersAndTheRestAreDomainsToSearch() throws {
        let text = QuickFiles.file(
            interface: "DNS = 10.9.0.1 , example.org fd00:9::1\nDNS=10.9.0.1,corp.example.\nDNS = ,"
        )
        let file = try QuickFiles.read(text)
        let tunnel = file.tunnel(named: "x", of: "x")
        #expect(tunnel.dnsServers.map(\.description) == ["10.9.0.1", "fd00:9::1"])
        #expect(tunnel.searchDomains == ["example.org", "corp.example."])
        let lines = file.report(named: "x").filter { $0.key == "DNS" }
        #expect(lines.map(\.line) == [4, 5, 6])
        #expect(lines.map(\.outcome) == [.kept, .kept, .noted])
        #expect(
            lines.map(\.text) == [
                "dns.servers", "dns.searchDomains", "empty items are ignored",
            ])
    }

    @Test(arguments: ["DNS = 0.0.0.0", "DNS = ff02::1", "DNS = 10.9.0", "DNS = a b/c", "DNS = -x"])
    func whatIsNeitherServerNorDomainIsRefused(line: String) {
        #expect(throws: QuickFileError.self) {
            try QuickFiles.read(QuickFiles.file(interface: line))
        }
    }

    @Test func theReportNamesEveryLineOnce() throws {
        let text = QuickFiles.client.replacing(
            "MTU", with: "DNS = 1.1.1.1\nPostUp = x\nPostUp = y\nMTU")
        let report = try QuickFiles.read(text).report(named: "office")
        let assignments = text.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
            .filter { $0.element.contains(" = ") }.map { $0.offset + 1 }
        #expect(report.map(\.line) == assignments)
        #expect(report.first?.text == "credential office.privateKey")
        #expect(report.filter { $0.outcome == .dropped }.map(\.key) == ["PostUp", "PostUp"])
    }

    @Test func aThousandPeersAreReadInOrder() throws {
        var text = QuickFiles.file()
        for number in 0..<1000 {
            let bytes =
                [UInt8(number & 255), UInt8(number >> 8)] + [UInt8](repeating: 7, count: 30)
            text += "[Peer]\nPublicKey = \(WireGuardKey.encode(bytes))\n"
            text += "AllowedIPs = 10.\(number >> 8).\(number & 255).0/32\n"
        }
        let tunnel = try QuickFiles.read(text).tunnel(named: "office", of: "office")
        #expect(tunnel.own.peers.count == 1001)
        #expect(tunnel.own.peers.last?.trust == "office/peer1001")
        #expect(tunnel.anchors.last?.name == "peer1001")
    }
}
