import Glibc
import JSON
import TestSupport
import Testing
import TunnelModel

@testable import Commands

@Suite struct MetricsTests {
    private func text(_ reports: [TunnelReport], readable: Bool = true) throws -> MetricsText {
        try MetricsText(
            MetricFamily.text(
                of: TunnelMetrics.families(reports, preferencesAreReadable: readable)))
    }

    @Test func aFamilyIsWrittenAsTheSpecificationHasIt() {
        let family = MetricFamily(
            name: "x_bytes", kind: .counter, unit: "bytes", help: "A \"help\"\nwith \\.",
            samples: [
                .init(labels: [("a", "1\"2\\3\n4")], value: .count(.max)),
                .init(labels: [], value: .time(Timestamp(microseconds: -1_000_002))),
            ])
        let empty = MetricFamily(name: "y", kind: .gauge, unit: nil, help: "None.")
        #expect(
            MetricFamily.text(of: [family, empty]) == #"""
                # TYPE x_bytes counter
                # UNIT x_bytes bytes
                # HELP x_bytes A \"help\"\nwith \\.
                x_bytes_total{a="1\"2\\3\n4"} 18446744073709551615
                x_bytes_total -1.000002
                # EOF

                """#)
    }

    @Test func aTunnelThatIsConnected() throws {
        var counters = InterfaceCounters()
        counters.receivedBytes = 5
        counters.sentDropped = 6
        var report = Reports.connected(counters)
        report.session?.restored.dns = 7
        let metrics = try text([report])
        let own = ["name": "office", "identifier": Reports.identifier]
        #expect(metrics.value("utunctl_connected", own) == 1)
        #expect(metrics.value("utunctl_status", own.merging(["status": "connected"]) { $1 }) == 1)
        let states = metrics.samples.filter { $0.name == "utunctl_status" }
        #expect(states.count == TunnelStatus.allCases.count)
        #expect(states.map(\.value).reduce(0, +) == 1)
        #expect(metrics.value("utunctl_received_bytes_total", own) == 5)
        #expect(metrics.value("utunctl_sent_dropped_total", own) == 6)
        #expect(metrics.value("utunctl_sent_errors_total", own) == 0)
        #expect(metrics.value("utunctl_connected_since_timestamp_seconds", own) == 2.000001)
        #expect(metrics.value("utunctl_counts_from_timestamp_seconds", own) == 1)
        #expect(metrics.value("utunctl_reconnects_total", own) == 4)
        #expect(metrics.value("utunctl_restored_total", ["kind": "dns"]) == 7)
        #expect(metrics.value("utunctl_restart_needed", own) == 0)
        #expect(metrics.value("utunctl_degraded", own) == 0)
        #expect(metrics.value("utunctl_preferences_readable") == 1)
        #expect(metrics.types["utunctl_received_bytes"] == "counter")
        #expect(metrics.units["utunctl_received_bytes"] == "bytes")
        #expect(metrics.units["utunctl_connected_since_timestamp_seconds"] == "seconds")
    }

    @Test func whatCannotBeReadIsNotThere() throws {
        var report = TunnelReport(identifier: Reports.identifier, status: .unknown)
        report.firewall = .unknown
        let metrics = try text([report], readable: false)
        let names = Set(metrics.samples.map(\.name))
        #expect(names == ["utunctl_build_info", "utunctl_preferences_readable", "utunctl_status"])
        #expect(metrics.value("utunctl_preferences_readable") == 0)
        #expect(metrics.value("utunctl_status", ["status": "unknown"]) == 1)
        // Without a name it goes by its identifier.
        #expect(metrics.samples.last?.labels["name"] == Reports.identifier)
        var older = Reports.connected()
        older.session?.reconnects = nil
        older.kernel = nil
        older.session?.connectedSince = nil
        let rest = try text([older])
        for name in [
            "utunctl_reconnects_total", "utunctl_received_bytes_total",
            "utunctl_counts_from_timestamp_seconds", "utunctl_connected_since_timestamp_seconds",
            "utunctl_last_verified_timestamp_seconds",
        ] {
            #expect(!rest.samples.contains { $0.name == name }, "\(name)")
        }
    }

    @Test func warningsOfOneCodeAreOneSample() throws {
        var report = Reports.connected()
        report.warnings = [
            TunnelWarning(.routeMissing, "a"), TunnelWarning(.leftovers, "b"),
            TunnelWarning(.routeMissing, "c"),
        ]
        report.restartReasons = ["interface.mtu"]
        let metrics = try text([report])
        #expect(
            metrics.value("utunctl_warnings", ["code": "routeMissing", "degrades": "true"]) == 2)
        #expect(metrics.value("utunctl_warnings", ["code": "leftovers", "degrades": "false"]) == 1)
        #expect(metrics.value("utunctl_degraded") == 1)
        #expect(metrics.value("utunctl_restart_needed") == 1)
    }

    @Test func familiesOfManyTunnelsStayTogether() throws {
        var other = Reports.connected(name: "home")
        other.identifier = "22222222-2222-4222-8222-222222222222"
        other.firewall = FirewallReading(mode: .killSwitch, isPresent: false)
        let metrics = try text([Reports.connected(), other])
        #expect(metrics.samples.count { $0.name == "utunctl_connected" } == 2)
        #expect(
            metrics.value("utunctl_firewall_mode", ["name": "home", "mode": "killSwitch"]) == 1)
        #expect(metrics.value("utunctl_firewall_present", ["name": "home"]) == 0)
    }

    // MARK: the checker is not blind

    @Test(arguments: [
        "", "# EOF", "# TYPE a gauge\na 1\n", "a 1\n# EOF\n", "# TYPE a gauge\na_total 1\n# EOF\n",
        "# TYPE a counter\na 1\n# EOF\n", "# TYPE a gauge\na 1\na 2\n# EOF\n",
        "# TYPE a gauge\na{b=\"1\"c=\"2\"} 1\n# EOF\n", "# TYPE a gauge\n\na 1\n# EOF\n",
        "# TYPE a gauge\n# UNIT a bytes\na 1\n# EOF\n", "# TYPE a gauge\na{b=\"\\x\"} 1\n# EOF\n",
        "# TYPE a gauge\na 1\n# TYPE b gauge\nb 1\n# TYPE a gauge\n# EOF\n",
        "# TYPE a_total counter\na_total_total 1\n# EOF\n", "# TYPE a stateset\na 1\n# EOF\n",
        "# TYPE a counter\na_total -1\n# EOF\n",
    ])
    func textThatIsNoOpenMetricsIsRefused(text: String) {
        #expect(throws: Unexpected.self) { try MetricsText(text) }
    }
}

@Suite struct MetricsVerbTests {
    private let root: TemporaryRoot

    init() throws {
        root = try TemporaryRoot()
    }

    @Test func ofNothingThereIsStillAnAnswer() throws {
        let run = try root.run(["metrics"])
        #expect(run.status == 0)
        #expect(run.errors.isEmpty)
        let metrics = try MetricsText(run.output)
        #expect(metrics.value("utunctl_preferences_readable") == 1)
        #expect(metrics.samples.count == 2)
    }

    @Test func aFileIsWrittenWholeAndForEverybody() throws {
        _ = try root.run(["save", "office"])
        try root.makeDirectory("/node")
        try root.write("/node/utunctl.prom", "old", mode: 0o600)
        let run = try root.run(["metrics", "--textfile", root.path("/node/utunctl.prom")])
        #expect(run.status == 0, "\(run)")
        #expect(run.output == "" && run.errors == "")
        #expect(root.mode("/node/utunctl.prom") == 0o644)
        let text = try #require(root.read("/node/utunctl.prom"))
        #expect(try MetricsText(text).value("utunctl_connected", ["name": "office"]) == 0)
        #expect(try root.run(["metrics"]).output == text)
        #expect(root.contents.filter { $0.hasPrefix("/node/") } == ["/node/utunctl.prom"])
        let other = try root.run(["metrics", "--textfile", root.path("/node/x"), "--json"])
        #expect(other.errors.contains(".prom"), "\(other)")
        #expect(other.json?["textfile"]?.string == root.path("/node/x"))
    }

    @Test func noFileTakesThePlaceOfADeviceOrAPipe() throws {
        #expect(mkfifo(root.path("/pipe.prom"), 0o600) == 0)
        for path in ["/dev/full", root.path("/pipe.prom")] {
            let run = try root.run(["metrics", "--textfile", path])
            #expect(run.status == 7 && run.errors.contains("not a regular file"), "\(run)")
            var status = stat()
            #expect(lstat(path, &status) == 0 && status.st_mode & S_IFMT != S_IFREG)
        }
    }

    @Test func aFileThatCannotBeWrittenIsAFailureAndLeavesNothing() throws {
        let missing = try root.run(["metrics", "--textfile", root.path("/nowhere/a.prom")])
        #expect(missing.status == 1)
        #expect(missing.errors.contains("/nowhere"), "\(missing)")
        try root.makeDirectory("/node/a.prom")
        let directory = try root.run(["metrics", "--textfile", root.path("/node/a.prom")])
        #expect(directory.status == 7, "\(directory)")
        #expect(root.contents.filter { $0.hasPrefix("/node/") } == ["/node/a.prom"])
        #expect(try root.run(["metrics", "--textfile", root.path("/node/")]).status == 2)
    }

    @Test func namesChooseAndUnknownOnesAreRefused() throws {
        for name in ["a", "b"] { _ = try root.run(["save", name]) }
        let one = try MetricsText(try root.run(["metrics", "b"]).output)
        #expect(Set(one.samples.compactMap { $0.labels["name"] }) == ["b"])
        let unknown = try root.run(["metrics", "c"])
        #expect(unknown.status == 4)
        #expect(unknown.output == "")
    }

    @Test func preferencesThatCannotBeReadAreToldAmongTheMetrics() throws {
        try root.write("/etc/utunctl/preferences.json", "corrupt", mode: 0o600)
        let run = try root.run(["metrics"])
        #expect(run.status == 11)
        #expect(try MetricsText(run.output).value("utunctl_preferences_readable") == 0)
        #expect(run.errors.contains("preferences.json"))
        let json = try root.run(["metrics", "--json"])
        #expect(json.status == 11)
        #expect(json.json?["error"]?.object?["exitStatus"] == .integer(11))
    }

    @Test func asJSONEachFamilyHasItsSamples() throws {
        _ = try root.run(["save", "office"])
        let answer = try #require(try root.run(["metrics", "--json"]).json)
        #expect(answer.keys == ["formatVersion", "textfile", "metrics"])
        let families = try #require(answer["metrics"]?.array).compactMap(\.object)
        let connected = families.first { $0["name"] == .string("utunctl_connected") }
        #expect(connected?.keys == ["name", "type", "unit", "help", "samples"])
        let sample = connected?["samples"]?.array?.first?.object
        #expect(sample?["value"] == .integer(0))
        #expect(sample?.value("labels.name") == .string("office"))
        let bytes = families.first { $0["name"] == .string("utunctl_received_bytes_total") }
        #expect(bytes?["samples"] == .array([]))
    }
}
