import JSON
import Testing
import TunnelModel

@Suite struct LoopbackConfigurationTests {
    private static func read(_ text: String) throws(JSONError) -> LoopbackConfiguration {
        try Model.read(text) { node throws(JSONError) in try LoopbackConfiguration(node) }
    }

    @Test func withoutAnyKeyTheAddressesFollowFromTheIdentifier() throws {
        let configuration = try Self.read("{}")
        let addresses = configuration.tunnelAddresses(identifier: Model.identifier)
        #expect(addresses.map(\.length) == [30, 126])
        let v4 = addresses[0].address.bytes
        let v6 = addresses[1].address.bytes
        #expect(v4.first == 10 && v4.last == 1)
        #expect(v6.first == 0xFD && v6.suffix(8) == [0, 0, 0, 0, 0, 0, 0, 1])

        let peers = configuration.peers(of: addresses)
        #expect(peers.map(\.bytes) == [v4.dropLast() + [2], v6.dropLast() + [2]])
        for (address, peer) in zip(addresses, peers) { #expect(address.contains(peer)) }
        #expect(addresses == configuration.tunnelAddresses(identifier: Model.identifier))
    }

    @Test func tunnelsRunSideBySide() throws {
        let configuration = try Self.read("{}")
        var networks: Set<IPPrefix> = []
        for number in UInt8(0)..<100 {
            let identifier = Identifier.make(from: [number])
            let addresses = configuration.tunnelAddresses(identifier: identifier)
            #expect(addresses.count == 2)
            networks.formUnion(addresses.map(\.masked))
        }
        #expect(networks.count == 200)
    }

    @Test func everyKey() throws {
        let configuration = try Self.read(
            """
            {"addresses": ["10.9.0.2/24", "fd00::ffff/64"], "peerAddresses": ["10.9.0.9"],
             "includedRoutes": ["10.9.1.0/24"], "mtu": 1400,
             "fail": {"code": "authenticationFailed", "after": 1000},
             "hangOnStart": true, "ignoreStop": true, "crashSignal": "SIGBUS",
             "stalePeer": 25200, "silent": true}
            """)
        let addresses = Model.prefixes(["10.9.0.2/24", "fd00::ffff/64"])
        #expect(configuration.tunnelAddresses(identifier: Model.identifier) == addresses)
        #expect(configuration.peers(of: addresses) == [IPAddress("10.9.0.9")])
        #expect(configuration.includedRoutes == Model.prefixes(["10.9.1.0/24"]))
        #expect(configuration.mtu == 1400)
        #expect(configuration.fail?.code == .authenticationFailed)
        #expect(configuration.fail?.after == 1000)
        #expect(configuration.hangOnStart && configuration.ignoreStop && configuration.silent)
        #expect(configuration.crashSignal == "SIGBUS")
        #expect(configuration.stalePeer == 25_200)
    }

    @Test func thePeerIsTheNextAddressAcrossByteBounds() throws {
        let configuration = try Self.read("{}")
        let addresses = Model.prefixes(["10.9.0.255/16", "fd00::ffff/64", "255.255.255.255/32"])
        #expect(
            configuration.peers(of: addresses).map(\.description)
                == ["10.9.1.0", "fd00::1:0", "0.0.0.0"])
    }

    @Test(arguments: [
        ("[]", "not an object"),
        ("{\"addresses\": [\"x\"]}", "addresses[0]: x is not an address prefix"),
        ("{\"addresses\": \"10.0.0.1/8\"}", "addresses: not an array"),
        (
            "{\"peerAddresses\": [\"10.0.0.1\", \"10.0.0.0/8\"]}",
            "peerAddresses[1]: 10.0.0.0/8 is no IP address"
        ),
        ("{\"includedRoutes\": [1]}", "includedRoutes[0]: not a string"),
        ("{\"mtu\": 67}", "mtu: not an integer from 68 to 65535"),
        ("{\"fail\": {}}", "fail.code: missing"),
        ("{\"fail\": {\"kode\": \"idle\"}}", "fail: unknown key kode"),
        ("{\"fail\": true}", "not an object"),
        (
            "{\"fail\": {\"code\": \"providerCrashed\"}}",
            "fail.code: providerCrashed is nothing that a provider reports; that is one of: "
                + "idle, noNetwork, serverNotResponding, serverDisconnected, negotiationFailed, "
                + "authenticationFailed, clientCertificateInvalid, clientCertificateNotYetValid, "
                + "clientCertificateExpired, serverCertificateInvalid, "
                + "serverCertificateNotYetValid, serverCertificateExpired, trustAnchorMissing, "
                + "providerRefused, internalError"
        ),
        (
            "{\"fail\": {\"code\": \"idle\", \"after\": -1}}",
            "fail.after: not an integer from 0 to 86400000"
        ),
        ("{\"fail\": {\"code\": \"idle\", \"x\": 1}}", "fail: unknown key x"),
        ("{\"hangOnStart\": 1}", "hangOnStart: not true or false"),
        ("{\"ignoreStop\": null}", "ignoreStop: null where a boolean must stand"),
        (
            "{\"crashSignal\": \"SIGKILL\"}",
            "crashSignal: SIGKILL is not one of: SIGSEGV, SIGBUS, SIGILL"
        ),
        ("{\"stalePeer\": -1}", "stalePeer: not an integer from 0 to 31536000"),
        ("{\"silent\": \"\"}", "silent: not true or false"),
        ("{\"adresses\": []}", "unknown key adresses"),
    ])
    func whatIsWrongIsNamedByItsPath(text: String, problem: String) {
        let found = Model.problem(text) { node throws(JSONError) in
            try LoopbackConfiguration(node)
        }
        #expect(found.map { $0.hasSuffix(problem) } == true, "\(found ?? "accepted")")
    }
}

@Suite struct ProviderManifestTests {
    private static func read(_ text: String) throws(JSONError) -> ProviderManifest {
        try Model.read(text) { node throws(JSONError) in try ProviderManifest(node) }
    }

    private static let required =
        "\"identifier\": \"org.example.thing\", \"executable\": \"/x\", \"protocolVersion\": 1"

    @Test func onlyWhatIsRequired() throws {
        let manifest = try Self.read("{\"formatVersion\": 1, \(Self.required)}")
        #expect(manifest.identifier == "org.example.thing")
        #expect(manifest.title == "")
        #expect(manifest.executable == "/x")
        #expect(manifest.protocolVersion == 1)
        #expect(manifest.network == .none)
        #expect(!manifest.tun.vnetHeader && manifest.tun.queues == 1)
        #expect(manifest.controlSocket == nil)
        #expect(manifest.credentials.isEmpty)
        #expect(manifest.trust == nil)
    }

    @Test(arguments: [
        "/run/{interface}", "/{interface}.sock", "/a/b/c-{interface}-d",
    ])
    func aPatternOfAControlSocketNamesTheInterfaceInItsLastPart(pattern: String) throws {
        let manifest = try Self.read(
            "{\"formatVersion\": 1, \(Self.required), \"controlSocket\": \"\(pattern)\"}")
        #expect(
            manifest.controlSocketPath(interface: "utun0")
                == pattern.replacing("{interface}", with: "utun0"))
    }

    @Test(arguments: [
        "", "run/{interface}.sock", "/run/wg.sock", "/run/{interface}/wg.sock",
        "/run/../{interface}",
        "/run/{interface}{interface}", "/run/{interfaces}", "/run/{name}.sock", "/run/{interface}}",
        "/run/{{interface}", "/{interface}/",
    ])
    func noOtherPatternIsTaken(pattern: String) {
        let text = "{\"formatVersion\": 1, \(Self.required), \"controlSocket\": \"\(pattern)\"}"
        #expect(
            Model.problem(text) { node throws(JSONError) in try ProviderManifest(node) }
                == "controlSocket: not an absolute path whose last part has one {interface}")
    }

    @Test func everyKey() throws {
        let manifest = try Self.read(
            """
            {"formatVersion": 1, "identifier": "org.example.thing", "title": "Thing",
             "executable": "/usr/libexec/utunctl/thing", "protocolVersion": 1,
             "network": "host", "tun": {"vnetHeader": true, "queues": 16},
             "controlSocket": "/run/wireguard/{interface}.sock", "credentials": ["privateKey"],
             "trust": "wireguard"}
            """)
        #expect(manifest.title == "Thing")
        #expect(manifest.network == .host)
        #expect(manifest.tun.vnetHeader && manifest.tun.queues == 16)
        #expect(manifest.controlSocket == "/run/wireguard/{interface}.sock")
        #expect(manifest.controlSocketPath(interface: "utun7") == "/run/wireguard/utun7.sock")
        #expect(manifest.credentials == ["privateKey"])
        #expect(manifest.trust == .wireguard)
    }

    @Test(arguments: [
        ("{\(Self.required)}", "formatVersion: missing"),
        ("{\"formatVersion\": 2}", "formatVersion 2 was written by a newer utunctl"),
        ("{\"formatVersion\": 1}", "identifier: missing"),
        (
            "{\"formatVersion\": 1, \"identifier\": \"x\"}",
            "identifier: a provider identifier is a reverse DNS name such as org.example.thing"
        ),
        ("{\"formatVersion\": 1, \"identifier\": \"a.b\"}", "executable: missing"),
        (
            "{\"formatVersion\": 1, \"identifier\": \"a.b\", \"executable\": \"/x\"}",
            "protocolVersion: missing"
        ),
        (
            "{\"formatVersion\": 1, \(Self.required), \"network\": \"all\"}",
            "network: all is not one of: none, host"
        ),
        (
            "{\"formatVersion\": 1, \(Self.required), \"tun\": {\"queues\": 17}}",
            "tun.queues: not an integer from 1 to 16"
        ),
        (
            "{\"formatVersion\": 1, \(Self.required), \"tun\": {\"queue\": 1}}",
            "tun: unknown key queue"
        ),
        (
            "{\"formatVersion\": 1, \(Self.required), \"trust\": \"pgp\"}",
            "trust: pgp is not one of: x509, wireguard"
        ),
        (
            "{\"formatVersion\": 1, \(Self.required), \"credentials\": {}}",
            "credentials: not an array"
        ),
        ("{\"formatVersion\": 1, \(Self.required), \"exec\": \"\"}", "unknown key exec"),
    ])
    func whatIsWrongIsNamedByItsPath(text: String, problem: String) {
        let found = Model.problem(text) { node throws(JSONError) in try ProviderManifest(node) }
        #expect(found == problem)
    }

    @Test(arguments: [
        "", "x", "./x", "../x", "/", "/usr/../x", "/..", "/x/", "/x/.", "/../\u{301}x", "\u{301}/x",
    ])
    func anExecutableIsAnAbsolutePathThatDoesNotClimb(path: String) {
        let text = """
            {"formatVersion": 1, "identifier": "a.b", "executable": "\(path)", "protocolVersion": 1}
            """
        let found = Model.problem(text) { node throws(JSONError) in try ProviderManifest(node) }
        #expect(found == "executable: not an absolute path")
    }
}
