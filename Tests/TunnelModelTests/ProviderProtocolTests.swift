import JSON
import Testing
import TunnelModel

@Suite struct ProviderMessageTests {
    private static let settings: NetworkSettings = {
        var settings = NetworkSettings()
        settings.addresses = Model.prefixes(["10.9.0.2/24", "fd00:9::2/64"])
        settings.includedRoutes = Model.prefixes(["10.9.0.0/16"])
        settings.remoteAddress = IPAddress("192.0.2.1")
        settings.overhead = 80
        return settings
    }()

    private static let fullSettings: NetworkSettings = {
        var settings = Self.settings
        settings.mtu = 1420
        settings.dns = DNSSettings()
        settings.dns?.servers = [IPAddress(v4: 0xC000_0235)]
        settings.dns?.tls = true
        return settings
    }()

    private static let report: ProviderReport = {
        var report = ProviderReport()
        report.lastVerified = Timestamp("2026-11-30T01:02:03Z")
        report.details["role"] = .string("listening")
        report.details["peers"] = .array([.null, .real(0.5)])
        return report
    }()

    private static let messages: [ProviderMessage] = [
        .settings(id: 1, settings), .settings(id: .max, fullSettings),
        .settings(id: 0, NetworkSettings()), .connected, .reasserting(reason: "roaming"),
        .failed(DisconnectReason(.authenticationFailed, "wrong \"key\"\n")), .stopped,
        .openSocket(id: 2, .init(family: .inet6, transport: .stream, port: 65_535)),
        .openSocket(id: 2, .init(family: .inet, transport: .datagram, port: 0)),
        .resolve(id: 3, name: "vpn.example.org"), .report(id: 4, report),
        .report(id: 4, ProviderReport()), .reply(id: 5, data: "é\n"),
        .reconfigured(id: 6), .reconfigureRefused(id: 7, keys: ["trust"], text: "no"),
        .reconfigureRefused(id: 8, keys: [], text: ""),
        .log(level: "debug", text: "\u{1B}[31m"), .unknown(type: "future"),
    ]

    @Test(arguments: messages)
    func comesBackAsItWasWritten(message: ProviderMessage) throws {
        let line = JSONWriter.line(message)
        #expect(line.count { $0 == UInt8(ascii: "\n") } == 1)
        #expect(try ProviderMessage(line: line) == message)
    }

    @Test func theLinesOfTheDocumentedSession() throws {
        let settings = """
            {"type":"settings","id":1,"addresses":["10.9.0.2/24","fd00:9::2/64"],\
            "includedRoutes":["10.9.0.0/16"],"remoteAddress":"192.0.2.1","mtu":null,\
            "overhead":80,"overheadIPv4":null,"dns":null}
            """
        #expect(Model.written(ProviderMessage.settings(id: 1, Self.settings)) == settings)
        #expect(try ProviderMessage(line: settings.utf8) == .settings(id: 1, Self.settings))
        #expect(Model.written(ProviderMessage.connected) == "{\"type\":\"connected\"}")
        #expect(
            Model.written(
                ProviderMessage.openSocket(
                    id: 2, .init(family: .inet6, transport: .datagram, port: 51820)))
                    == """
                    {"type":"openSocket","id":2,"family":"inet6","transport":"datagram","port":51820}
                    """)
        #expect(Model.written(ProviderMessage.stopped) == "{\"type\":\"stopped\"}")

        let report = """
            {"type":"report","id":2,"lastVerified":"2026-11-30T01:02:03.000000Z",\
            "peers":[{"name":"gateway","endpoint":"192.0.2.1:51820","receivedBytes":1,\
            "sentBytes":2}]}
            """
        let message = try ProviderMessage(line: report.utf8)
        #expect(Model.written(message) == report)
        guard case .report(2, let read) = message else {
            Issue.record("\(message)")
            return
        }
        #expect(read.lastVerified == Timestamp("2026-11-30T01:02:03Z"))
        #expect(read.details.members.map(\.key) == ["peers"])
    }

    @Test func unknownKindsAndKeysAreIgnored() throws {
        func read(_ text: String) throws(JSONError) -> ProviderMessage {
            try ProviderMessage(line: text.utf8)
        }
        #expect(try read("{\"type\":\"future\",\"x\":[1]}") == .unknown(type: "future"))
        #expect(try read("{\"type\":\"\"}") == .unknown(type: ""))
        #expect(try read("{\"x\":{\"y\":1},\"type\":\"connected\"}") == .connected)
        #expect(try read("{\"type\":\"settings\",\"id\":0,\"x\":1}") == .settings(id: 0, .init()))
    }

    @Test func nestingIsBoundedAtSixteen() throws {
        func line(_ depth: Int) -> String {
            let open = String(repeating: "[", count: depth - 1)
            let close = String(repeating: "]", count: depth - 1)
            return "{\"type\":\"connected\",\"x\":\(open)\(close)}"
        }
        #expect(try ProviderMessage(line: line(16).utf8) == .connected)
        #expect(throws: JSONError.value(path: "", problem: "nested deeper than 16")) {
            try ProviderMessage(line: line(17).utf8)
        }
        #expect(throws: JSONError.self) { try ProviderMessage(line: line(100_000).utf8) }
    }

    @Test(arguments: [
        "", "null", "[]", "{}", "connected", "{\"type\":null}", "{\"type\":1}",
        "{\"type\":\"connected\",\"type\":\"stopped\"}", "{\"type\":\"connected\"}{}",
        "{\"type\":\"settings\"}", "{\"type\":\"settings\",\"id\":-1}",
        "{\"type\":\"settings\",\"id\":1.0}", "{\"type\":\"settings\",\"id\":\"1\"}",
        "{\"type\":\"settings\",\"id\":99999999999999999999}",
        "{\"type\":\"settings\",\"id\":1,\"addresses\":[\"10.0.0.1/33\"]}",
        "{\"type\":\"settings\",\"id\":1,\"addresses\":[\"::1%lo/64\"]}",
        "{\"type\":\"settings\",\"id\":1,\"addresses\":[null]}",
        "{\"type\":\"settings\",\"id\":1,\"addresses\":\"10.0.0.1\"}",
        "{\"type\":\"settings\",\"id\":1,\"remoteAddress\":\"vpn.example.org\"}",
        "{\"type\":\"settings\",\"id\":1,\"mtu\":0}",
        "{\"type\":\"settings\",\"id\":1,\"mtu\":65536}",
        "{\"type\":\"settings\",\"id\":1,\"overhead\":1025}",
        "{\"type\":\"settings\",\"id\":1,\"dns\":{\"servers\":[\"x\"]}}",
        "{\"type\":\"failed\"}", "{\"type\":\"failed\",\"code\":\"nonsense\"}",
        "{\"type\":\"openSocket\",\"id\":1,\"family\":\"unix\",\"transport\":\"stream\"}",
        "{\"type\":\"openSocket\",\"id\":1,\"family\":\"inet\",\"transport\":\"raw\"}",
        "{\"type\":\"openSocket\",\"id\":1,\"family\":\"inet\"}",
        "{\"type\":\"resolve\",\"id\":1}", "{\"type\":\"resolve\",\"id\":1,\"name\":[]}",
        "{\"type\":\"report\"}", "{\"type\":\"report\",\"id\":1,\"lastVerified\":\"never\"}",
        "{\"type\":\"report\",\"id\":1,\"lastVerified\":0}",
        "{\"type\":\"reply\",\"id\":1}", "{\"type\":\"reply\",\"id\":1,\"data\":{}}",
        "{\"type\":\"log\"}", "{\"type\":\"log\",\"text\":\"\\u0000\"}",
    ])
    func aHostileLineIsAnErrorAndNeverACrash(line: String) {
        #expect(throws: JSONError.self) { try ProviderMessage(line: line.utf8) }
    }

    @Test(arguments: DisconnectCode.allCases)
    func aProviderReportsItsOwnFailuresOnly(code: DisconnectCode) {
        let message = try? ProviderMessage(
            line: "{\"type\":\"failed\",\"code\":\"\(code.rawValue)\"}".utf8)
        #expect(message == (code.mayComeFromProvider ? .failed(.init(code, "")) : nil))
    }

    @Test func linesCutOffOrChangedNeverCrash() {
        for message in Self.messages {
            let line = Array(JSONWriter.line(message).dropLast())
            for length in line.indices {
                #expect(throws: JSONError.self) { try ProviderMessage(line: line[..<length]) }
                for byte: UInt8 in [0x00, 0x22, 0x2C, 0x39, 0x5B, 0x7D, 0xFF] {
                    var changed = line
                    changed[length] = byte
                    _ = try? ProviderMessage(line: changed)
                }
            }
        }
    }
}

@Suite struct HostMessageTests {
    private static let start: ProviderStart = {
        var start = ProviderStart(
            attempt: Identifier.make(from: [7]),
            configuration: Configuration(identifier: Model.identifier, name: "office"),
            interface: .init(name: "utun0", index: 7, mtu: 1500))
        start.options = ["b": "2", "a": "1"]
        start.tun = [4, 5]
        start.credentials = ["privateKey": 6, "psk": 7]
        start.controlSocket = 8
        start.trust = [
            TrustAnchor(
                name: "office/peer1", kind: .wireguard,
                value: "hSDwCYkwp1R0i33ctD73Wg2/Og0mOBr066SpjqqbTmo=")
        ]
        start.systemTrust = "/etc/ssl/cert.pem"
        start.resolved = ["vpn.example.org": [IPAddress(v4: 0xC000_0201), IPAddress(v6: 1)]]
        return start
    }()

    private static let bareStart = ProviderStart(
        attempt: Identifier.make(from: [7]),
        configuration: Configuration(identifier: Model.identifier, name: "office"),
        interface: .init(name: "utun0", index: 7, mtu: 1500))

    private static let change: ProviderChange = {
        var change = ProviderChange(start.configuration)
        change.trust = start.trust
        change.systemTrust = start.systemTrust
        change.resolved = start.resolved
        return change
    }()

    private static let messages: [HostMessage] = [
        .start(start), .start(bareStart), .settingsApplied(id: 1),
        .settingsRejected(id: 1, errors: [.init(key: "mtu", text: "too small")]),
        .settingsRejected(id: 1, errors: []), .socket(id: 2, refusal: nil),
        .socket(id: 2, refusal: SocketRefusal(.portTaken, "another program has UDP port 53")),
        .resolved(id: 3, name: "a.example", addresses: [IPAddress(v4: 1), IPAddress(v6: 2)]),
        .resolved(id: 3, name: "a.example", addresses: []), .query(id: 2),
        .message(id: 4, data: "get=1\n\n"), .pathChanged(UnderlyingPath()), .sleep, .wake,
        .credential(name: "psk"), .reconfigure(id: 5, change),
        .reconfigure(id: 6, ProviderChange(bareStart.configuration)),
        .stop(reason: .stoppedByUser), .unknown(type: "future"),
    ]

    @Test(arguments: messages)
    func comesBackAsItWasWritten(message: HostMessage) throws {
        let line = JSONWriter.line(message)
        #expect(line.count { $0 == UInt8(ascii: "\n") } == 1)
        #expect(try HostMessage(line: line) == message)
    }

    @Test(
        arguments: [
            (.settingsApplied(id: 1), "{\"type\":\"settingsApplied\",\"id\":1}"),
            (.query(id: 2), "{\"type\":\"query\",\"id\":2}"),
            (.stop(reason: .stoppedByUser), "{\"type\":\"stop\",\"reason\":\"stoppedByUser\"}"),
            (.socket(id: 3, refusal: nil), "{\"type\":\"socket\",\"id\":3}"),
            (.wake, "{\"type\":\"wake\"}"),
        ] as [(HostMessage, String)])
    func theLinesOfTheDocumentedSession(message: HostMessage, line: String) {
        #expect(Model.written(message) == line)
    }

    @Test func theFirstLineHoldsEverythingThatAProviderIsGiven() {
        let configuration = Model.written(Self.start.configuration)
        #expect(
            Model.written(HostMessage.start(Self.start)) == """
                {"type":"start","attempt":"07000000-0000-4000-8000-000000000000",\
                "configuration":\(configuration),"options":{"a":"1","b":"2"},"tun":[4,5],\
                "credentials":{"privateKey":{"fd":6},"psk":{"fd":7}},\
                "controlSocket":{"fd":8},"trust":[{"name":"office/peer1","kind":"wireguard",\
                "publicKey":"hSDwCYkwp1R0i33ctD73Wg2/Og0mOBr066SpjqqbTmo="}],\
                "systemTrust":"/etc/ssl/cert.pem","resolved":{"vpn.example.org":["192.0.2.1","::1"]},\
                "interface":{"name":"utun0","index":7,"mtu":1500}}
                """)
    }

    @Test(arguments: [
        "{}", "{\"type\":\"start\"}", "{\"type\":\"stop\"}", "{\"type\":\"query\"}",
        "{\"type\":\"stop\",\"reason\":\"whim\"}", "{\"type\":\"resolved\",\"id\":1}",
        "{\"type\":\"settingsRejected\",\"id\":1,\"errors\":[{}]}",
        "{\"type\":\"message\",\"id\":1}", "[]",
    ])
    func whatIsMissingIsAnError(line: String) {
        #expect(throws: JSONError.self) { try HostMessage(line: line.utf8) }
    }

    @Test func startCutOffNeverCrashes() {
        let line = JSONWriter.line(HostMessage.start(Self.start)).dropLast()
        for length in line.indices {
            #expect(throws: JSONError.self) { try HostMessage(line: line[..<length]) }
        }
    }
}
