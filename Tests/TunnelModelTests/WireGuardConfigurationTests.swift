import JSON
import Testing
import TunnelModel

@Suite struct WireGuardConfigurationTests {
    private static func read(_ text: String) throws(JSONError) -> WireGuardConfiguration {
        try Model.read(text) { node throws(JSONError) in try WireGuardConfiguration(node) }
    }

    /// A whole object whose peers have these members.
    private static func peers(_ peers: String...) -> String {
        let list = peers.map { "{\($0)}" }.joined(separator: ", ")
        return "{\"addresses\": [\"10.9.0.2/24\"], \"peers\": [\(list)]}"
    }

    /// A configuration of the provider with a peer for each list of networks.
    private static func configuration(_ allowedIPs: [[String]]) throws -> Configuration {
        var own = WireGuardConfiguration(addresses: Model.prefixes(["10.9.0.2/24"]))
        own.peers = allowedIPs.enumerated().map { index, prefixes in
            var peer = WireGuardConfiguration.Peer(trust: "office/peer\(index + 1)")
            peer.allowedIPs = Model.prefixes(prefixes)
            return peer
        }
        let trust = Model.written(own.peers.map(\.trust))
        return try Model.configuration(
            with: "\"provider\": \"org.utunctl.wireguard\", \"trust\": \(trust), "
                + "\"providerConfiguration\": \(Model.written(own))")
    }

    @Test func everyKeyIsReadAndWritten() throws {
        let text =
            "{\"addresses\":[\"10.9.0.2/24\",\"fd00:9::2/64\"],\"listenPort\":51820,\"peers\":["
            + "{\"trust\":\"office/gateway\",\"endpoint\":\"vpn.example.org:51820\","
            + "\"allowedIPs\":[\"10.9.0.0/16\",\"::/0\"],\"persistentKeepalive\":25,"
            + "\"presharedKey\":\"presharedKey1\",\"optional\":true}]}"
        let configuration = try Self.read(text)
        #expect(configuration.addresses == Model.prefixes(["10.9.0.2/24", "fd00:9::2/64"]))
        #expect(configuration.listenPort == 51820)
        let peer = try #require(configuration.peers.first)
        #expect(peer.trust == "office/gateway" && peer.optional)
        #expect(peer.endpoint?.host == "vpn.example.org" && peer.endpoint?.port == 51820)
        #expect(peer.allowedIPs == Model.prefixes(["10.9.0.0/16", "::/0"]))
        #expect(peer.persistentKeepalive == 25 && peer.presharedKey == "presharedKey1")
        #expect(Model.written(configuration) == text)
    }

    @Test func absentAndNullKeysHaveTheirDefaults() throws {
        let absent = try Self.read(Self.peers("\"trust\": \"office/a\""))
        let null = try Self.read(
            "{\"addresses\": [\"10.9.0.2/24\"], \"listenPort\": null, \"peers\": [{\"trust\": "
                + "\"office/a\", \"endpoint\": null, \"allowedIPs\": null, "
                + "\"persistentKeepalive\": null, \"presharedKey\": null, \"optional\": false}]}")
        #expect(absent == null)
        let peer = try #require(absent.peers.first)
        #expect(peer == WireGuardConfiguration.Peer(trust: "office/a"))
        #expect(absent.listenPort == nil)
    }

    @Test(arguments: [
        "vpn.example.org:51820", "192.0.2.1:1", "[2001:db8::1]:65535", "a_b.example:80",
    ])
    func endpointsAreKeptAsTheyAreWritten(endpoint: String) throws {
        let configuration = try Self.read(
            Self.peers("\"trust\": \"office/a\", \"endpoint\": \"\(endpoint)\""))
        #expect(configuration.peers.first?.endpoint?.text == endpoint)
    }

    @Test(arguments: [
        "vpn.example.org", "192.0.2.1", "2001:db8::1", "[2001:db8::1]", "vpn.example.org:",
        "vpn.example.org:0", "vpn.example.org:65536", "vpn.example.org:x", "2001:db8::1:51820",
        "[192.0.2.1]:51820", "[fe80::1%eth0]:51820", "192.0.2.256:51820", ":51820", "",
        "vpn.example.org:+80", "vpn.example.org: 80", "http://vpn.example.org:80",
    ])
    func anEndpointWithoutHostOrPortIsRefused(endpoint: String) {
        let problem = Model.problem(
            Self.peers("\"trust\": \"office/a\", \"endpoint\": \"\(endpoint)\"")
        ) { node throws(JSONError) in try WireGuardConfiguration(node) }
        #expect(problem?.hasPrefix("peers[0].endpoint: ") == true, "\(problem ?? "nil")")
    }

    @Test(arguments: [
        ("[]", "not an object"),
        ("{}", "addresses: missing: a tunnel needs an address"),
        ("{\"addresses\": []}", "addresses: a tunnel needs an address"),
        ("{\"addresses\": null}", "addresses: a tunnel needs an address"),
        ("{\"addresses\": [\"10.9.0.2/33\"]}", "addresses[0]: 10.9.0.2/33 is not an address"),
        ("{\"addresses\": [\"127.0.0.1/8\"]}", "addresses[0]: 127.0.0.1/8 is not an address for"),
        ("{\"addresses\": [\"fd00::1\", \"fe80::1/64\"]}", "addresses[1]: fe80::1/64 is not an"),
        ("{\"addresses\": [\"10.0.0.1/7\"]}", "addresses[0]: 10.0.0.1/7 has a network wider"),
        ("{\"addresses\": [\"10.9.0.2\"], \"listenPort\": 0}", "listenPort: not an integer from 1"),
        ("{\"addresses\": [\"10.9.0.2\"], \"listenPort\": 65536}", "listenPort: not an integer"),
        ("{\"addresses\": [\"10.9.0.2\"], \"listenPort\": \"1\"}", "listenPort: not an integer"),
        ("{\"adresses\": [\"10.9.0.2\"]}", "unknown key adresses"),
        ("{\"addresses\": [\"10.9.0.2\"], \"peers\": {}}", "peers: not an array"),
        (peers("\"trusted\": 1"), "peers[0]: unknown key trusted"),
        (peers(""), "peers[0].trust: missing"),
        (peers("\"trust\": \"office\""), "peers[0].trust: not the name of an anchor"),
        (peers("\"trust\": \"system\""), "peers[0].trust: not the name of an anchor"),
        (
            peers("\"trust\": \"office/a\", \"persistentKeepalive\": 0"),
            "peers[0].persistentKeepalive: not an integer from 1 to 65535"
        ),
        (
            peers("\"trust\": \"office/a\", \"allowedIPs\": [\"10.0.0.0/8\", \"x\"]"),
            "peers[0].allowedIPs[1]: x is not an address prefix"
        ),
        (
            peers("\"trust\": \"office/a\"", "\"trust\": \"office/b\"", "\"trust\": \"office/a\""),
            "peers[2].trust: office/a is peers[0] already"
        ),
    ])
    func whatIsWrongIsNamedWithItsPlace(text: String, problem: String) {
        let found = Model.problem(text) { node throws(JSONError) in
            try WireGuardConfiguration(node)
        }
        #expect(found?.hasPrefix(problem) == true, "\(found ?? "nil")")
    }

    @Test(arguments: [
        ("10.100.0.0/24", "10.100.0.0/24"), ("10.100.0.2/24", "10.100.0.3/24"),
        ("0.0.0.0/0", "128.0.0.0/0"), ("fd00::1/64", "fd00::2/64"), ("10.0.0.1", "10.0.0.1/32"),
    ])
    func aNetworkCannotBelongToTwoPeers(first: String, second: String) {
        let problem = Model.problem(
            Self.peers(
                "\"trust\": \"office/a\", \"allowedIPs\": [\"192.0.2.0/24\", \"\(first)\"]",
                "\"trust\": \"office/b\", \"allowedIPs\": [\"\(second)\"]")
        ) { node throws(JSONError) in try WireGuardConfiguration(node) }
        #expect(
            problem?.hasPrefix("peers[1].allowedIPs[0]: ") == true
                && problem?.hasSuffix(" of office/b belongs to office/a (peers[0]) already")
                    == true,
            "\(problem ?? "nil")")
    }

    @Test func hostBitsOfAllowedAddressesAreMaskedAndEqualOnesMergedWithANotice() throws {
        let given = try Self.configuration([
            ["10.77.77.1/24", "128.0.0.0/0", "0.0.0.0/0", "1::1/127"], ["192.0.2.0/24"],
        ])
        let (configuration, notices) = given.normalized()
        let own = try WireGuardConfiguration(configuration.providerConfiguration)
        #expect(
            own.peers.first?.allowedIPs
                == Model.prefixes(["10.77.77.0/24", "0.0.0.0/0", "1::/127"]))
        #expect(
            notices.map(\.code) == [
                "hostBitsMasked", "hostBitsMasked", "duplicatePrefix", "hostBitsMasked",
                "prefixesOverlap",
            ])
        #expect(notices[1].path == "providerConfiguration.peers[0].allowedIPs[1]")
        #expect(notices[1].text == "128.0.0.0/0 has host bits, taken as 0.0.0.0/0")
        #expect(
            notices[4].text == "0.0.0.0/0 holds networks of office/peer2, and what is for these "
                + "goes there")
        #expect(configuration.normalized().configuration == configuration)
        // The host bits of a tunnel's own addresses mean something.
        #expect(own.addresses == Model.prefixes(["10.9.0.2/24"]))
    }

    @Test func aNetworkInsideThatOfAnotherPeerIsSaidOnce() throws {
        let clients = (1...999).map { ["10.\($0 / 256).\($0 % 256).1/32"] }
        let given = try Self.configuration([["10.0.0.0/8"]] + clients)
        let (configuration, notices) = given.normalized()
        #expect(configuration == given)
        #expect(configuration.providerConfigurationError == nil)
        #expect(notices.map(\.path) == ["providerConfiguration.peers[0].allowedIPs[0]"])
        #expect(
            notices.first?.text == "10.0.0.0/8 holds networks of office/peer2, office/peer3 and "
                + "997 more, and what is for these goes there")
    }

    @Test func whatAPeerRefersToMustStandInTheConfiguration() throws {
        var configuration = try Self.configuration([["10.0.0.0/8"], ["192.0.2.0/24"]])
        #expect(configuration.providerConfigurationProblem == nil)
        configuration.trust = ["office/peer1"]
        #expect(
            configuration.providerConfigurationProblem
                == "providerConfiguration.peers[1].trust: office/peer2 does not stand in trust of "
                + "the configuration")
        configuration = try Model.configuration(
            with: "\"provider\": \"org.utunctl.wireguard\", \"trust\": [\"office/a\"], "
                + "\"providerConfiguration\": "
                + Self.peers("\"trust\": \"office/a\", \"presharedKey\": \"psk\""))
        #expect(
            configuration.providerConfigurationProblem
                == "providerConfiguration.peers[0].presharedKey: no such name stands in credentials "
                + "of the configuration")
        configuration.credentials = ["psk": "file:psk"]
        #expect(configuration.providerConfigurationProblem == nil)
    }

    @Test func aServerAddressBesideThePeersWouldBeIgnored() throws {
        var configuration = try Self.configuration([["10.0.0.0/8"]])
        configuration.serverAddress = "vpn.example.org:51820"
        #expect(
            configuration.providerConfigurationProblem
                == "serverAddress: not a key of this provider: its peers have endpoints of their own"
        )
    }

    /// A key that is set to what is no JSON, and what the hint says.
    @Test(arguments: [
        ("listenPort", "x", "not a number"),
        ("peers", "x", "write --set 'providerConfiguration.peers=[\"TEXT\"]'"),
        ("peers[0]", "x", "not a JSON object"),
        ("peers[0].optional", "yes", "not true or false"),
        ("peers[0].persistentKeepalive", "off", "not a number"),
        (
            "peers[0].allowedIPs", "10.0.0.0/8",
            "write --set 'providerConfiguration.peers[0].allowedIPs=[\"TEXT\"]'"
        ),
        (
            "peers[0].endpoint", "h:1",
            "write --set 'providerConfiguration.peers[0].endpoint=\"TEXT\"'"
        ),
    ])
    func aValueThatIsNoJSONIsAnsweredWithTheFormThatIs(
        key: String,
        text: String,
        hint: String
    ) throws {
        let configuration = try Self.configuration([["10.0.0.0/8"]])
        let edit = try ConfigurationEdit(setting: "providerConfiguration.\(key)", text: text)
        #expect {
            try configuration.applying([edit])
        } throws: { error in
            (error as? ConfigurationEditError)?.text.contains(hint) == true
        }
    }

    @Test func anyTextIsReadOrRefusedWithoutACrash() {
        var numbers = RepeatableNumbers(seed: 42)
        let pieces = [
            "{", "}", "[", "]", ":", ",", "\"addresses\"", "\"peers\"", "\"trust\"", "\"a/b\"",
            "\"endpoint\"", "\"[::1]:1\"", "null", "0", "65536", "\"10.0.0.0/8\"", "\"allowedIPs\"",
            "-1", "1e9", "true", "\"\\u0000\"", "\"é\"",
        ]
        for _ in 0..<3000 {
            let text = (0..<Int.random(in: 1...20, using: &numbers)).map { _ in
                pieces[Int.random(in: 0..<pieces.count, using: &numbers)]
            }.joined()
            _ = try? Self.read(text)
            _ = try? Self.read("{\"addresses\": [\"10.0.0.1\"], \"peers\": [{\(text)}]}")
        }
    }
}
