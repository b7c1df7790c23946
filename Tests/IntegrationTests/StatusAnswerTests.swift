import Glibc
import JSON
import LinuxSystem
import TestSupport
import Testing

/// The shape of `status --json`: every key is always there, and never is null.
@Suite(
    .serialized,
    .enabled("\(PrivateNamespace.requirement)") { try PrivateNamespace.isPresent })
struct StatusAnswerTests {
    private static let keys = [
        "name", "identifier", "title", "enabled", "status", "reason", "savedGeneration",
        "runningGeneration", "restartNeeded", "restartReasons", "origin", "onDemand", "hold",
        "attempt", "hostVersion", "connectedSince", "lastVerified", "provider", "interface",
        "counters",
        "underlying", "routing", "firewall", "dns", "lastDisconnect", "warnings", "readings",
    ]
    private static let counters = [
        "scope", "estimate", "countsFrom", "receivedBytes", "sentBytes", "receivedPackets",
        "sentPackets", "receivedErrors", "sentErrors", "receivedDropped", "sentDropped",
    ]

    private func expectDocumented(_ tunnel: JSONObject, null: Set<String>) {
        #expect(tunnel.keys == Self.keys)
        for member in tunnel.members {
            #expect((member.value == .null) == null.contains(member.key), "\(member)")
        }
        for key in ["restartReasons", "warnings"] { #expect(tunnel[key]?.array != nil, "\(key)") }
        #expect(tunnel["routing"]?.object?.keys == ["mode", "excluded", "ipv6"])
        #expect(tunnel["firewall"]?.object?.keys == ["mode", "present", "pausedUntil"])
        if let provider = tunnel["provider"]?.object {
            #expect(provider.keys == ["identifier", "pid", "report", "peersLeftOut"])
        }
        if let interface = tunnel["interface"]?.object {
            #expect(
                interface.keys
                    == [
                        "name", "index", "mtu", "mtuOrigin", "addresses", "routes", "routesLeftOut",
                        "rules",
                        "networkNamespace", "restored",
                    ])
            #expect(interface["addresses"]?.array != nil)
        }
        if let counters = tunnel["counters"]?.object {
            #expect(counters.keys == Self.counters)
            for key in Self.counters.dropFirst(3) {
                #expect(counters[key]?.integer != nil, "\(key)")
            }
            #expect(counters["countsFrom"]?.object?.keys == ["time", "interfaceIndex"])
        }
        if let last = tunnel["lastDisconnect"]?.object {
            #expect(last.keys == ["attempt", "time", "code", "text", "kind", "hint"])
        }
    }

    @Test func everyKeyIsThereInEveryState() throws {
        let site = try Installation()
        try site.save("office", "title=An office")
        let living: Set = [
            "runningGeneration", "restartNeeded", "origin", "attempt", "hostVersion",
            "connectedSince", "lastVerified", "provider", "interface", "counters", "dns",
        ]
        let never: Set = ["reason", "onDemand", "hold", "underlying", "lastDisconnect", "readings"]
        expectDocumented(try site.status("office"), null: living.union(never))

        let hang = try site.utunctl("start", "office", "--option", "hangOnStart=true")
        #expect(hang.status == 0, "\(hang)")
        let connecting = try site.status("office")
        #expect(connecting["status"] == .string("connecting"))
        expectDocumented(connecting, null: never.union(["connectedSince", "lastVerified"]))
        #expect(try site.utunctl("stop", "office").status == 0)

        #expect(try site.utunctl("start", "--wait", "office").status == 0)
        let connected = try site.status("office")
        #expect(connected["status"] == .string("connected"))
        expectDocumented(connected, null: never)
        #expect(connected["origin"] == .string("user"))
        let version = try site.utunctl("--version").output
        #expect(connected["hostVersion"]?.string.map { "utunctl \($0)\n" } == version)
        #expect(connected.value("interface.networkNamespace") == .null)
        #expect(try site.utunctl("stop", "office").status == 0)

        let disconnected = try site.status("office")
        expectDocumented(
            disconnected, null: living.union(["reason", "onDemand", "underlying", "readings"]))
        #expect(disconnected["hold"]?.object?.keys == ["since", "origin"])
        #expect(try !site.utunctl("--json", "status").output.contains("0001-"))

        try site.save("office", "onDemand.enabled=true")
        #expect(
            try site.status("office")["onDemand"]?.object?.keys
                == [
                    "state", "action", "rule", "when", "reason", "since", "failures", "failure",
                    "nextTry",
                ])
    }

    @Test func theAnswerIsAnObjectWithItsVersionEvenWithoutTunnels() throws {
        let site = try Installation()
        let result = try site.utunctl("--json", "status")
        #expect(result.status == 0)
        #expect(result.output == #"{"formatVersion":1,"tunnels":[]}"# + "\n")
    }

    @Test func severalNamesGiveTheWorstStatusAndAllThatIsKnown() throws {
        let site = try Installation()
        for name in ["up", "slow", "down"] { try site.save(name) }
        #expect(try site.utunctl("start", "--wait", "up").status == 0)
        #expect(try site.utunctl("start", "slow", "--option", "hangOnStart=true").status == 0)
        #expect(try site.utunctl("status", "up").status == 0)
        #expect(try site.utunctl("status", "up", "slow").status == 5)
        #expect(try site.utunctl("status", "slow", "down", "up").status == 3)
        let unknown = try site.utunctl("--json", "status", "up", "nowhere", "down")
        #expect(unknown.status == 4)
        let answer = try Installation.parse(unknown.output)
        #expect(answer.keys == ["formatVersion", "tunnels", "error"])
        #expect(answer["tunnels"]?.array?.count == 2)
        #expect(answer.value("error.exitStatus") == .integer(4))
        #expect(try site.utunctl("status", "up", "nowhere").output.contains("up: connected"))

        try site.write("{", to: "etc/utunctl/preferences.json", mode: 0o600)
        let corrupt = try site.utunctl("--json", "status", "up", "nowhere")
        #expect(corrupt.status == 11)
        let running = try Installation.parse(corrupt.output)
        #expect(running["tunnels"]?.array?.first?.object?["status"] == .string("connected"))
        #expect(running.value("error.exitStatus") == .integer(11))
    }

    @Test func oneTunnelIsAShortAnswerAndAThousandAQuickOne() throws {
        let site = try Installation()
        let configurations = (0..<1000).map { number in
            let digits = "\(1_000_000_000_000 + number)".dropFirst()
            return #"{"identifier": "7b0d0000-0000-4000-8000-\#(digits)", "name": "t\#(number)"}"#
        }
        let list = configurations.joined(separator: ",\n")
        try site.write(
            #"{"formatVersion": 1, "generation": 1, "configurations": [\#(list)]}"#,
            to: "etc/utunctl/preferences.json", mode: 0o600)
        let deadline = Deadline.after(milliseconds: 2000)
        let all = try site.utunctl("--json", "status")
        #expect(!deadline.hasPassed)
        #expect(try Installation.parse(all.output)["tunnels"]?.array?.count == 1000)
        #expect(try site.utunctl("start", "--wait", "t7").status == 0)
        let one = try site.utunctl("--json", "status", "t7")
        #expect(one.status == 0)
        #expect(one.output.utf8.count < 4096)
    }

    @Test func eachReadingIsExplainedWithItsSource() throws {
        let site = try Installation()
        try site.save("office")
        #expect(try site.utunctl("start", "--wait", "office").status == 0)
        let text = try site.utunctl("status", "--explain", "office").output
        for source in [
            "preferences.json", ".lock", ".sock", "rtnetlink", "process", "record", "µs",
        ] {
            #expect(text.contains(source), "\(source)")
        }
        let tunnel = try #require(
            try site.json("status", "--explain", "office")["tunnels"]?.array?.first?.object)
        let readings = try #require(tunnel["readings"]?.array).compactMap(\.object)
        #expect(
            readings.map { $0["reading"]?.string } == [
                "preferences", "lock", "host", "provider", "kernel", "firewall", "record",
            ])
        for reading in readings {
            #expect(reading.keys == ["reading", "finding", "source", "ageMicroseconds"])
            let age = try #require(reading["ageMicroseconds"]?.integer)
            #expect(age >= 0)
            #expect(reading["source"]?.string != nil)
        }
        // What was read first is the oldest.
        #expect(
            (readings[0]["ageMicroseconds"]?.integer ?? 0)
                > (readings[4]["ageMicroseconds"]?.integer ?? .max))
        #expect(try site.utunctl("stop", "office").status == 0)
        let stopped = try site.json("status", "--explain", "office")["tunnels"]?.array?.first?
            .object
        let provider = stopped?["readings"]?.array?[3].object
        #expect(provider?["finding"] == .string("not asked"))
        #expect(provider?["ageMicroseconds"] == .null)
    }
}
