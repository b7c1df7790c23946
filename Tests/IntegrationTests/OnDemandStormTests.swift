import Glibc
import JSON
import LinuxSystem
import TestSupport
import Testing

/// Nothing that comes and goes, fails or is killed makes a storm of starts.
@Suite(
    .serialized,
    .enabled("\(PrivateNamespace.requirement)") { try PrivateNamespace.isPresent })
struct OnDemandStormTests {
    private static let always = #"[{"action": "connect"}]"#

    @Test func aHundredChangesInTenSecondsAreNoMoreThanTheAllowedStarts() throws {
        let host = try OnDemandSite()
        try host.save(
            "office",
            rules: """
                [{"action": "connect", "interfaceType": "wifi"}, {"action": "disconnect"}]
                """)
        try host.follow()
        for change in 0..<100 {
            try host.enter(change % 2 == 0 ? .cafe : .office)
            usleep(85_000)
        }
        try host.enter(.office)
        try host.expect("office", "disconnected")
        let said = try host.end().errors
        let starts = said.split(separator: "\n").filter { $0.contains(": accepted (") }
        #expect(starts.count <= 5, "\(said)")
        #expect(!said.contains("not started"), "\(said)")
    }

    @Test func aProviderThatFailsIsTriedLessAndLessAndThenNoMore() throws {
        let host = try OnDemandSite(
            "--first-retry=150ms", "--longest-retry=400ms", "--most-failures=4")
        try host.site.installPythonProvider("failing", FailingProvider.script)
        try host.save("office", rules: Self.always, "provider=org.example.failing")
        try host.enter(.home)
        try host.follow()
        try host.until("a retry is announced") {
            let status = try host.site.status("office")
            return status.value("onDemand.state") == .string("retrying")
                && status.value("onDemand.nextTry") != .null
        }
        try host.expect("office", "suspended")
        let status = try host.site.status("office")
        #expect(status.value("onDemand.failures") == .integer(4))
        let failure = status.value("onDemand.failure")?.string
        #expect(failure?.hasPrefix("serverNotResponding") == true, "\(failure ?? "none")")
        let tries = try FailingProvider.count(host.site)
        #expect(tries == 4)
        let metrics = try host.site.utunctl("metrics").output
        #expect(metrics.contains("state=\"suspended\"} 1"), "\(metrics)")
        usleep(800_000)
        #expect(try FailingProvider.count(host.site) == tries)
        // A service that is killed and comes again does not begin anew.
        host.kill()
        try host.follow()
        usleep(400_000)
        #expect(try FailingProvider.count(host.site) == tries)
        #expect(try host.state("office") == "suspended")
        // A person, or another network, is a reason to try again.
        #expect(try host.site.utunctl("ondemand", "resume", "office").status == 0)
        try host.expect("office", "retrying")
        try host.expect("office", "suspended")
        try host.enter(.cafe)
        try host.expect("office", "retrying")
    }

    @Test func whereverTheServiceIsKilledTheNextOneGoesOn() throws {
        let host = try OnDemandSite()
        try host.save("office", rules: Self.always)
        try host.enter(.cafe)
        var kills = 0
        for call in ["clone,clone3,vfork", "rename,renameat", "write", "sendto", "epoll_wait"] {
            for number in 1...12 {
                let point = KillPoint(call: call, number: number)
                let isKilled = try host.followAndBeKilled(at: point, whenConnected: "office")
                if isKilled { kills += 1 }
                // What it had begun may still be under way.
                let running = try host.site.status("office")["attempt"]
                try host.follow()
                try host.expect("office", "connected")
                if case .string? = running {
                    #expect(try host.site.status("office")["attempt"] == running, "\(point)")
                }
                _ = try host.end()
                #expect(try host.site.utunctl("stop", "office").status == 0)
                #expect(try host.site.utunctl("ondemand", "resume", "office").status == 0)
                guard isKilled else { break }
            }
        }
        // Otherwise the points were not those at which it does something.
        #expect(kills >= 8)
    }

    @Test func aRetryThatSomebodyElseHasMadeLeavesNothingToDo() throws {
        let host = try OnDemandSite("--first-retry=600ms")
        try host.save("office", rules: Self.always)
        try host.enter(.home)
        try host.follow()
        try host.expect("office", "connected")
        let hosts = host.site.processes.filter { process in
            process.file("cmdline").contains("--foreground")
        }
        #expect(hosts.count == 1)
        for process in hosts { kill(process.pid, SIGKILL) }
        try host.expect("office", "retrying")
        // As the unit does, where there is one.
        #expect(try host.site.utunctl("start", "--origin=ondemand", "office").status == 0)
        try host.expect("office", "connected")
        usleep(1_500_000)
        #expect(try host.wakeUps(in: 1000) == 0)
        #expect(try host.site.status("office").value("onDemand.nextTry") == .null)
    }

    @Test func aTunnelDoesNotNoticeThatTheServiceComesAndGoes() throws {
        let host = try OnDemandSite()
        try host.save("office", rules: Self.always)
        try host.enter(.home)
        try host.follow()
        try host.expect("office", "connected")
        let attempt = try host.site.status("office")["attempt"]
        for round in 0..<10 {
            if round % 2 == 0 { host.kill() } else { _ = try host.end() }
            try host.follow()
            #expect(try host.site.word("office") == "connected")
        }
        usleep(400_000)
        #expect(try host.site.status("office")["attempt"] == attempt)
    }
}

/// A provider that finds no server, and counts how often it is run.
private enum FailingProvider {
    static let script = """
        import json, os, sys
        channel = os.fdopen(3, "r+b", buffering=0)
        channel.readline()
        channel.write(b'{"type": "failed", "code": "serverNotResponding", "text": "nobody"}\\n')
        """

    static func count(_ site: Installation) throws -> Int {
        let identifier = try site.identifier(of: "office")
        let record = site.read("run/utunctl/ondemand.json") ?? ""
        guard case .array(let entries)? = try Installation.parse(record)["configurations"] else {
            return 0
        }
        for case .object(let entry) in entries
        where entry["identifier"] == .string(identifier) {
            guard case .array(let starts)? = entry["starts"] else { return 0 }
            return starts.count
        }
        return 0
    }
}
