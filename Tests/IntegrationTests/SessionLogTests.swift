import Glibc
import JSON
import LinuxSystem
import TestSupport
import Testing
import TunnelModel

/// `log` and `metrics` of sessions that live.
@Suite(
    .serialized,
    .enabled("\(PrivateNamespace.requirement)") { try PrivateNamespace.isPresent })
struct SessionLogTests {
    private func attempt(_ site: Installation) throws -> String {
        try #require(try site.status("office")["attempt"]?.string)
    }

    @Test func eachSessionHasItsOwnLines() throws {
        let site = try Installation()
        try site.save("office")
        var attempts: [String] = []
        for _ in 1...3 {
            #expect(try site.utunctl("start", "--wait", "office").status == 0)
            attempts.append(try attempt(site))
            #expect(try site.utunctl("stop", "office").status == 0)
        }
        for attempt in attempts + ["last"] {
            let log = try site.utunctl("log", "office", "--attempt", attempt).output
            let lines = log.split(separator: "\n")
            let expected = attempt == "last" ? attempts[2] : attempt
            #expect(lines.first?.hasSuffix("attempt \(expected) begins, generation 1") == true)
            #expect(log.contains("utunctl[office]: connected\n"), "\(log)")
            #expect(lines.count { $0.contains(" begins, generation ") } == 1, "\(log)")
            #expect(log.contains("utunctl[office]: disconnected"), "\(log)")
        }
        let all = try site.utunctl("--json", "log", "office", "--attempt", "all").output
        let objects = try all.split(separator: "\n").map { try Installation.parse(String($0)) }
        let told = objects.compactMap { $0["attempt"]?.string }
        #expect(told.count == objects.count)
        #expect(zip([""] + told, told).filter { $0 != $1 }.map(\.1) == attempts)
    }

    @Test func aProviderCannotSpeakAsTheHost() throws {
        let site = try Installation()
        try site.installPythonProvider(
            "liar",
            """
            import os, json
            channel = os.fdopen(3, "r+b", 0)
            for level in ["utunctl", "info", "utunctl[x]: ", "\\u001b"]:
                channel.write(json.dumps({"type": "log", "level": level, "text":
                    "attempt 22222222-2222-4222-8222-222222222222 begins"}).encode() + b"\\n")
            for line in channel: pass
            """)
        try site.save("office", "provider=org.example.liar")
        #expect(try site.utunctl("start", "office").status == 0)
        #expect(
            try eventually {
                let output = try site.utunctl("--json", "log", "office").output
                return output.split(separator: "\n").count { $0.contains("22222222") } >= 4
            })
        let log = try site.utunctl("--json", "log", "office").output
        let own = try attempt(site)
        let lines = try log.split(separator: "\n").map { try Installation.parse(String($0)) }
        #expect(lines.allSatisfy { $0["attempt"] == .string(own) }, "\(log)")
        let claims = lines.filter { $0["text"]?.string?.contains("22222222") == true }
        #expect(
            claims.map { $0["source"]?.string } == ["provider", "info", "provider", "provider"])
    }

    @Test func followingGoesFromOneSessionToTheNext() throws {
        let site = try Installation()
        try site.save("office")
        let follow = try site.start("log", "-f", "office")
        for count in 1...2 {
            #expect(try site.utunctl("start", "--wait", "office").status == 0)
            let own = try attempt(site)
            #expect(try follow.output(until: own).contains(own))
            #expect(try site.utunctl("stop", "office").status == 0)
            #expect(
                try eventually {
                    let text = try follow.output(until: "disconnected", seconds: 0)
                    return text.split(separator: "\n").count { line in
                        String(line).contains("utunctl[office]: disconnected")
                    } == count
                })
        }
        follow.signal(SIGINT)
        #expect(try follow.finish(seconds: 5).status == 130)
    }

    @Test func eachWayBackIsCounted() throws {
        let site = try Installation()
        try site.installPythonProvider(
            "unsteady",
            """
            import os, json
            channel = os.fdopen(3, "r+b", 0)
            def send(**message): channel.write(json.dumps(message).encode() + b"\\n")
            for line in channel:
                kind = json.loads(line)["type"]
                if kind == "start": send(type="settings", id=1, addresses=["10.99.0.1/30"])
                if kind == "settingsApplied":
                    send(type="connected")
                    for _ in range(3):
                        send(type="reasserting", reason="why not")
                        send(type="connected")
                if kind == "query": send(type="report", id=json.loads(line)["id"])
                if kind == "stop": break
            send(type="stopped")
            """)
        try site.save("office", "provider=org.example.unsteady")
        #expect(try site.utunctl("start", "--wait", "office").status == 0)
        #expect(
            try eventually {
                try MetricsText(try site.utunctl("metrics").output)
                    .value("utunctl_reconnects_total", ["name": "office"]) == 3
            })
    }

    @Test func metricsOfASessionAreThoseOfTheKernel() throws {
        let site = try Installation()
        try site.save("office", #"providerConfiguration.addresses=["10.99.0.1/30"]"#)
        let before = Timestamp(microseconds: Clock.wallMicroseconds)
        #expect(try site.utunctl("start", "--wait", "office").status == 0)
        let ping = try Command.run(["ping", "-q", "-f", "-c", "10", "10.99.0.2"])
        #expect(ping.status == 0, "\(ping)")
        let metrics = try MetricsText(try site.utunctl("metrics").output)
        let tunnel = try site.status("office")
        for (name, key) in [
            ("received_bytes", "receivedBytes"), ("sent_packets", "sentPackets"),
            ("sent_dropped", "sentDropped"),
        ] {
            let value = metrics.value("utunctl_\(name)_total", ["name": "office"])
            #expect(value == tunnel.value("counters.\(key)")?.integer.map { Double($0) }, "\(name)")
        }
        #expect((metrics.value("utunctl_sent_packets_total") ?? 0) >= 10)
        let since = try #require(metrics.value("utunctl_connected_since_timestamp_seconds"))
        #expect(since >= Double(before.microseconds) / 1e6)
        #expect(metrics.value("utunctl_last_verified_timestamp_seconds") != nil)
        #expect(metrics.value("utunctl_reconnects_total") == 0)
        #expect(metrics.value("utunctl_connected") == 1)
        try Kernel.ip("link", "set", "utun0", "down")
        let degraded = try MetricsText(try site.utunctl("metrics").output)
        #expect(degraded.value("utunctl_degraded") == 1)
        #expect(degraded.value("utunctl_warnings", ["code": "linkDown", "degrades": "true"]) == 1)
    }
}
