import JSON
import Testing

@testable import TunnelModel

/// Reports and records with every key set.
enum Samples {
    static let disconnect = Disconnect(
        attempt: Identifier.make(from: [7]), time: Timestamp(microseconds: 1),
        reason: DisconnectReason(.authenticationFailed, "wrong key"))

    static let reading: KernelReading = {
        var counters = InterfaceCounters()
        counters.receivedBytes = UInt64(Int64.max)
        counters.sentDropped = 8
        var reading = KernelReading()
        reading.link = .init(
            name: "utun0", index: 7, mtu: 1420, isUp: true, hasCarrier: false,
            counters: counters)
        reading.addresses = Model.prefixes(["10.9.0.2/24", "fd00:9::2/64"])
        reading.routes = Model.prefixes(["10.9.0.0/16"])
        reading.rules = ["IPv4 5032: not from all fwmark 0x75000075 lookup 1962934279"]
        return reading
    }()

    static let bareReport: SessionReport = {
        var configuration = Configuration(identifier: Model.identifier, name: "office")
        configuration.generation = 12
        return SessionReport(
            configuration: configuration, attempt: Identifier.make(from: [7]), origin: .systemd,
            status: .connecting, started: Timestamp(microseconds: 5),
            networkNamespace: "net:[4026531840]", hostPID: 42,
            interface: .init(name: "utun0", index: 7, mtu: 1420))
    }()

    static let report: SessionReport = {
        var report = bareReport
        report.status = .reasserting
        report.reason = "roaming"
        report.connectedSince = Timestamp(microseconds: 6)
        report.hostVersion = "0.0.9"
        report.providerPID = 43
        report.providerAnswered = false
        var providerReport = ProviderReport()
        providerReport.lastVerified = Timestamp(microseconds: 7)
        providerReport.details["peers"] = .array([])
        report.providerReport = providerReport
        report.addresses = reading.addresses
        report.routes = reading.routes
        report.rules = reading.rules
        report.warnings = [TunnelWarning(.controlSocketTaken, "somebody was faster")]
        report.restored.addresses = 1
        report.restored.routes = 2
        report.restored.rules = 3
        report.restored.dns = 4
        report.dns = DNSReport(.resolved, Model.resolver, isVerified: true)
        report.fingerprints = ["dns": "0123456789abcdef"]
        report.kernel = reading
        return report
    }()

    static let record: SessionRecord = {
        var configuration = Configuration(identifier: Model.identifier, name: "office")
        configuration.generation = 12
        return SessionRecord(
            configuration: configuration, attempt: Identifier.make(from: [7]), origin: .user,
            started: Timestamp(microseconds: 5), networkNamespace: "net:[4026531840]")
    }()
}

@Suite struct ControlMessageTests {
    @Test(
        arguments: [
            .status(networkNamespace: "net:[1]"), .status(networkNamespace: ""), .subscribe,
            .stop(DisconnectReason(.superseded, "by another start")), .sleep, .wake, .reload,
        ] as [ControlRequest])
    func aRequestComesBackAsItWasWritten(request: ControlRequest) throws {
        #expect(try ControlRequest(line: JSONWriter.line(request)) == request)
    }

    @Test(
        arguments: [
            ("{\"type\":\"status\"}", .status(networkNamespace: "")),
            ("{\"type\":\"stop\"}", .stop(DisconnectReason(.stoppedByUser, ""))),
            (
                "{\"type\":\"stop\",\"code\":null,\"x\":1}",
                .stop(DisconnectReason(.stoppedByUser, ""))
            ),
            // A word of a later version: an older host must be stoppable all the same.
            (
                "{\"type\":\"stop\",\"code\":\"whim\",\"text\":\"t\"}",
                .stop(DisconnectReason(.stoppedByUser, "t"))
            ),
            ("{\"type\":\"subscribe\",\"since\":1}", .subscribe),
        ] as [(String, ControlRequest)])
    func aRequestOfAnotherVersionIsUnderstood(line: String, expected: ControlRequest) throws {
        #expect(try ControlRequest(line: line.utf8) == expected)
    }

    @Test(arguments: [
        "", "{}", "[]", "stop", "{\"type\":\"restart\"}", "{\"type\":\"stop\",\"code\":1}",
        "{\"type\":\"status\",\"networkNamespace\":1}",
    ])
    func anotherRequestIsAnError(line: String) {
        #expect(throws: JSONError.self) { try ControlRequest(line: line.utf8) }
    }

    @Test(
        arguments: [
            .status(Samples.bareReport), .status(Samples.report),
            .transition(
                .init(
                    number: 3, status: .reasserting, time: Timestamp(microseconds: 9), reason: "x")),
            .transition(
                .init(number: 2, status: .connected, time: Timestamp(microseconds: 9), reason: nil)),
            .ended(Samples.disconnect, forced: true), .ended(Samples.disconnect, forced: false),
            .refused(text: "not your tunnel"), .told,
            .reloaded(generation: 12, applied: ["dns.servers", "title"]),
            .reloaded(generation: 0, applied: []), .restartNeeded(keys: ["provider"]),
        ] as [ControlReply])
    func aReplyComesBackAsItWasWritten(reply: ControlReply) throws {
        let line = JSONWriter.line(reply)
        #expect(line.count { $0 == UInt8(ascii: "\n") } == 1)
        #expect(try ControlReply(line: line) == reply)
    }

    @Test func aReplyCutOffIsAnErrorAndNotHalfAStatus() {
        let line = JSONWriter.line(ControlReply.status(Samples.report)).dropLast()
        for length in line.indices {
            #expect(throws: JSONError.self) { try ControlReply(line: line[..<length]) }
        }
    }

    @Test(arguments: [
        "identifier", "name", "generation", "attempt", "origin", "status", "started",
        "networkNamespace", "hostPID", "provider", "interface", "countsFrom",
        "restoredAddresses", "restoredRoutes",
    ])
    func aStatusWithoutOneOfItsKeysIsAnError(key: String) throws {
        let line = JSONWriter.line(ControlReply.status(Samples.report))
        var object = try #require(
            try JSONDocument(parsing: line).withRoot { $0.value.object })
        object[key] = nil
        #expect(throws: JSONError.value(path: key, problem: "missing")) {
            try ControlReply(line: JSONWriter.line(object))
        }
        object["type"] = .string("future")
        #expect(throws: JSONError.self) { try ControlReply(line: JSONWriter.line(object)) }
    }

    @Test func aStartRequestComesBackAsItWasWritten() throws {
        let request = StartRequest(
            attempt: Identifier.make(from: [7]), origin: .ondemand, options: ["a": "1"],
            generation: 12, waitsForTraffic: true)
        #expect(try StartRequest(line: JSONWriter.line(request)) == request)
        #expect(
            Model.written(request) == """
                {"attempt":"07000000-0000-4000-8000-000000000000","origin":"ondemand",\
                "options":{"a":"1"},"generation":12,"waitsForTraffic":true}
                """)
        #expect(throws: JSONError.self) { try StartRequest(line: "{}".utf8) }
    }
}

@Suite struct SessionRecordTests {
    private static func read(_ text: String) throws(JSONError) -> SessionRecord {
        try Model.read(text) { node throws(JSONError) in try SessionRecord(node) }
    }

    @Test func aRecordComesBackAsItWasWritten() throws {
        var record = Samples.record
        #expect(try Self.read(Model.written(record, layout: .indented)) == record)
        record.controlSocket = .init(path: "/run/wg/utun0.sock", device: 25, inode: .max)
        #expect(try Self.read(Model.written(record)) == record)
        record.changes = [.sysctl(path: "net/ipv4/ip_forward", former: "0", value: "1")]
        #expect(try Self.read(Model.written(record)) == record)
        record.end = Samples.disconnect
        #expect(try Self.read(Model.written(record)) == record)
    }

    @Test func theFormOfARecordOnDisk() {
        var record = Samples.record
        record.end = Samples.disconnect
        #expect(
            Model.written(record) == """
                {"formatVersion":1,"identifier":"7b0d3c1e-95a4-4a0f-8f5e-0a3a54d0c001",\
                "name":"office","generation":12,\
                "attempt":"07000000-0000-4000-8000-000000000000","origin":"user",\
                "stopTimeout":20,"started":"1970-01-01T00:00:00.000005Z",\
                "networkNamespace":"net:[4026531840]","controlSocket":null,\
                "changes":[],"end":{"attempt":"07000000-0000-4000-8000-000000000000",\
                "time":"1970-01-01T00:00:00.000001Z","code":"authenticationFailed",\
                "text":"wrong key"}}
                """)
    }

    @Test func aRecordWithoutAnEndTellsOfACrashWhoseTimeNobodyKnows() {
        let crash = Samples.record.lastDisconnect
        #expect(crash.reason.code == .sessionHostCrashed)
        #expect(crash.time == nil)
        #expect(Model.written(crash).contains(#""time":null,"#))
        #expect(crash.attempt == Samples.record.attempt)

        var record = Samples.record
        record.end = Samples.disconnect
        #expect(record.lastDisconnect == Samples.disconnect)
    }

    @Test func aRecordOfALaterVersionIsNewerAndNotCorrupt() {
        #expect(throws: JSONError.newerFormat(2)) { try Self.read("{\"formatVersion\":2}") }
        #expect(throws: JSONError.self) { try Self.read("{\"formatVersion\":1}") }
    }

    @Test func aKernelReadingComesBackAsItWasWritten() throws {
        for reading in [KernelReading(), Samples.reading] {
            let back = try Model.read(Model.written(reading)) { node throws(JSONError) in
                try KernelReading(node)
            }
            #expect(back == reading)
        }
        #expect(
            Model.written(KernelReading())
                == "{\"link\":null,\"addresses\":[],\"routes\":[],\"rules\":[],\"barriers\":[]}")
    }
}
