import Glibc
import JSON
import LinuxSystem
import TestSupport
import Testing

/// Each answer of the program in JSON is as its schema says, whatever is true at the time.
@Suite(
    .serialized,
    .enabled("\(PrivateNamespace.requirement)") { try PrivateNamespace.isPresent })
struct SchemaTests {
    private var samples: SchemaSamples

    init() throws {
        samples = try SchemaSamples()
    }

    @Test func nothingIsSavedAndNothingRuns() throws {
        var samples = samples
        let site = try Installation()
        for verb in ["status", "load", "providers", "doctor", "profiles", "lockdown", "sleep"] {
            try samples.run(site, verb, verb)
        }
        for verb in ["wake", "help"] { try samples.run(site, verb, verb) }
        try samples.run(site, "stop", "stop", "--all")
        try samples.run(site, "repair", "repair", "--all")
        try samples.run(site, "unblock", "unblock", "--all")
        try samples.run(site, "credential-list", "credential", "list")
        try samples.run(site, "completions", "completions", "bash")
        try samples.run(site, "completions-words", "completions", "--words", "keys")
        try samples.run(site, "help", "--help")
        try samples.run(site, "help", "start", "--help")
        try samples.run(site, "help", "help", "status-json")
        try samples.run(site, "version", "--version")
        try samples.run(site, "error", "enable", "office")
        try site.writeManifest("{}", identifier: "org.example.broken")
        try samples.run(site, "providers", "providers")
        try samples.check()
    }

    @Test func rulesAreExplained() throws {
        var samples = samples
        let site = try NetworkSite()
        try samples.run(site.installation, "ondemand-explain", "ondemand", "explain")
        let rule = #"{"action": "connect", "probeURL": "http://\#(site.host.v4):1/", "ssid": []}"#
        try site.installation.save(
            "office", #"onDemand.rules=[{"action": "ignore", "ssid": ["x"]}, \#(rule)]"#)
        try samples.run(site.installation, "ondemand-explain", "ondemand", "explain")
        for family in ["-4", "-6"] { try Kernel.ip(family, "route", "del", "default") }
        try samples.run(site.installation, "ondemand-explain", "ondemand", "explain", "office")
        try samples.check()
    }

    @Test func aTunnelLivesAndEnds() throws {
        var samples = samples
        let site = try Installation()
        let route = #"providerConfiguration.includedRoutes=["10.96.1.0/24"]"#
        try samples.run(site, "save", "save", "office", "--dry-run")
        try samples.run(site, "save", "save", "office", "--set", route)
        try samples.run(site, "save", "save", "office", "--dry-run", "--set", "title=\u{fc}\u{7f}")
        try samples.run(site, "save", "save", "office", "--set", "idleTimeout=9")
        try site.save("office", "idleTimeout=null")
        let watch = try site.start("status", "--watch", "--json")
        _ = try watch.output(until: "snapshot")
        try samples.run(site, "plan", "plan", "office")
        try samples.run(site, "start", "start", "office", "--option", "hangOnStart=true")
        try samples.run(site, "status", "status", "office")
        try samples.run(site, "stop", "stop", "office", "--no-wait")
        try samples.run(site, "status", "status")
        try samples.run(site, "stop", "stop", "office")
        try samples.run(site, "status", "status")
        try samples.run(site, "start", "start", "--wait", "office")
        try samples.run(site, "start", "start", "office")
        try samples.run(site, "restart", "restart", "--wait", "office")
        try samples.run(site, "status", "status", "--counters", "office")
        try samples.run(site, "status", "status", "--explain", "--peers")
        try samples.run(site, "doctor-leaks", "doctor", "leaks", "office")
        try samples.run(site, "sleep", "sleep")
        try samples.run(site, "wake", "wake")
        try site.save("office", "interface.mtu=1400")
        let needed = try samples.run(site, "status", "status", "office")
        #expect(needed["tunnels"]?.array?.first?.object?["restartNeeded"] == .bool(true))
        let interface = try site.status("office").value("interface.name")?.string
        try Kernel.ip("link", "set", try #require(interface), "down")
        let down = try samples.run(site, "status", "status", "office")
        #expect(down["tunnels"]?.array?.first?.object?["warnings"]?.array?.isEmpty == false)
        try samples.run(site, "status", "status", "office", "none")
        kill(try site.livingHost(of: "office"), SIGKILL)
        #expect(try eventually { try site.word("office") == "disconnected" })
        let crashed = try samples.run(site, "status", "status", "office")
        let last = crashed["tunnels"]?.array?.first?.object?["lastDisconnect"]?.object
        #expect(last?["time"] == .null)
        try samples.run(site, "doctor", "doctor")
        try samples.run(site, "repair", "repair", "--all")
        try samples.run(site, "load", "load")
        try samples.run(site, "remove", "remove", "office")
        _ = try watch.output(until: "removed")
        watch.signal(SIGINT)
        for line in try watch.finish().output.split(separator: "\n") { samples.add("watch", line) }
        try samples.check()
    }

    @Test(arguments: KillTests.State.allCases)
    func aTunnelInEachState(state: KillTests.State) throws {
        var samples = samples
        let site = try FaultSite()
        try site.bring(to: state)
        try samples.run(site.installation, "status", "status")
        try samples.run(site.installation, "stop", "stop", "victim", "--timeout", "1")
        try samples.run(site.installation, "status", "status", "--counters")
        try samples.check()
    }

    @Test func whatCannotBeRead() throws {
        var samples = samples
        let site = try Installation()
        try site.save("office")
        try samples.run(site, "start", "start", "--wait", "office")
        let provider = try RunningProcess(providerOf: site, "office")
        let host = try #require(provider.parent)
        kill(provider.pid, SIGSTOP)
        try samples.run(site, "status", "status")
        kill(provider.pid, SIGCONT)
        kill(host.pid, SIGSTOP)
        try samples.run(site, "status", "status")
        kill(host.pid, SIGCONT)
        let other = ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups"]
        let forbidden = try Command.run(other + site.command(["--json", "status"]))
        samples.add("status", forbidden.output.dropLast())
        try site.write("{", to: "etc/utunctl/preferences.json", mode: 0o600)
        let corrupt = try samples.run(site, "status", "status")
        #expect(corrupt["error"] != nil && corrupt["tunnels"]?.array?.count == 1)
        try samples.run(site, "error", "load")
        try samples.run(site, "doctor", "doctor")
        try samples.run(site, "stop", "stop", "office")
        try samples.check()
    }

    @Test func aKillSwitchBlocks() throws {
        var samples = samples
        let site = try Installation()
        try site.save("office", "routing.includeAllNetworks=true", "routing.lockdown=always")
        try samples.run(site, "plan", "plan", "office")
        try samples.run(site, "start", "start", "--wait", "office")
        try samples.run(site, "status", "status", "--counters")
        try samples.run(site, "pause", "pause", "office", "--for", "60")
        try samples.run(site, "status", "status")
        try samples.run(site, "pause", "pause", "office", "--end")
        try samples.run(
            site, "doctor-leaks", "doctor", "leaks", "office", "192.0.2.1", "2001:db8::1")
        try samples.run(site, "stop", "stop", "office")
        try samples.run(site, "status", "status")
        try samples.run(site, "unblock", "unblock", "office")
        try samples.run(site, "lockdown", "lockdown")
        try samples.run(site, "remove", "remove", "office")
        try samples.run(site, "repair", "repair", "--all", "--unblock")
        try samples.check()
    }

    @Test func whatIsToldOfSessions() throws {
        var samples = samples
        let site = try Installation()
        try site.save("office")
        try samples.run(site, "metrics", "metrics")
        try samples.run(site, "wait", "wait", "office", "--for", "disconnected")
        try samples.run(site, "start", "start", "office")
        for condition in ["connected", "address"] {
            try samples.run(site, "wait", "wait", "office", "--for", condition)
        }
        try samples.run(site, "reload", "reload", "office")
        try site.save("office", "interface.mtu=1400")
        try samples.run(site, "reload", "reload", "office")
        try samples.run(site, "metrics", "metrics")
        try samples.run(site, "metrics", "metrics", "--textfile", "\(site.root)/utunctl.prom")
        try samples.run(site, "bundle", "bundle", "\(site.root)/report")
        try samples.run(site, "rename", "rename", "office", "home")
        try samples.run(site, "stop", "stop", "home")
        let log = try site.utunctl("log", "home", "--json")
        #expect(log.output.contains("disconnected"))
        for line in log.output.split(separator: "\n") { samples.add("log", line) }
        try site.write("{", to: "etc/utunctl/preferences.json", mode: 0o600)
        let corrupt = try samples.run(site, "metrics", "metrics")
        #expect(corrupt["error"] != nil)
        try samples.check()
    }

    @Test func whatIsEnrolled() throws {
        var samples = samples
        let interop = try InteropSite(.utunctl) { $0.hasPresharedKey = true }
        let site = try interop.tunnel.site
        symlink(
            Installation.built("utunctl-keys"), "\(site.root)/usr/libexec/utunctl/utunctl-keys")
        try samples.run(site, "status", "status", "--counters")
        try samples.run(site, "load", "load", "office")
        try samples.run(site, "profiles", "profiles")
        try samples.run(site, "credential-list", "credential", "list")
        try samples.run(site, "export", "export", "office", "--format", "wg-quick")
        try samples.run(
            site, "export", "export", "office", "--format", "wg-quick", "--output",
            "\(site.root)/office.out")
        let file = "\(site.root)/office.conf"
        try samples.run(site, "enroll", "enroll", file, "--name", "home", "--dry-run")
        try samples.run(site, "enroll", "enroll", file, "--name", "home")
        let authority = try CertificateAuthority()
        try authority.issue("root", isAuthority: true)
        let pem = String(decoding: JSONWriter.line(authority.pem("root")).dropLast(), as: UTF8.self)
        try site.write(
            """
            {"formatVersion": 1, "identifier": "anchors", "notAfter": "2020-01-01T00:00:00Z",
             "anchors": [{"name": "ca", "kind": "x509", "pem": \(pem)},
                         {"name": "pin", "kind": "pin", "sha256": "\(
                             String(repeating: "0a", count: 32))"}]}
            """, to: "anchors.json")
        try samples.run(site, "enroll", "enroll", "\(site.root)/anchors.json")
        try samples.run(site, "profiles", "profiles", "show", "anchors")
        try samples.run(site, "credential-set", "credential", "set", "key", input: "secret")
        try samples.run(site, "genkey", "genkey", "office.new")
        try samples.run(site, "credential-list", "credential", "list")
        try samples.run(site, "credential-remove", "credential", "remove", "key", "office.new")
        try samples.run(site, "stop", "stop", "office")
        try samples.run(site, "remove", "remove", "home")
        try samples.run(site, "profiles-remove", "profiles", "remove", "home", "anchors")
        try samples.check()
    }

    /// The schemas are not blind: what they are to refuse they refuse, each for its reason.
    @Test(arguments: [
        ("help", #"{"formatVersion":1,"topic":null}"#, "'text' is a required property"),
        ("help", #"{"formatVersion":1,"topic":null,"text":"x","more":1}"#, "'more' was unexpected"),
        ("help", #"{"formatVersion":2,"topic":null,"text":"x"}"#, "1 was expected"),
        ("help", #"{"formatVersion":1,"topic":null,"text":null}"#, "is not of type 'string'"),
        (
            "pause",
            #"{"formatVersion":1,"name":"x","identifier":"00000000-0000-4000-8000-000000000000","pausedUntil":"1970-01-01T00:00:00.000000Z"}"#,
            "should not be valid under"
        ),
        (
            "pause",
            #"{"formatVersion":1,"name":"x","identifier":"00000000-0000-4000-8000-000000000000","pausedUntil":"2026-01-01T00:00:00Z"}"#,
            "does not match"
        ),
        (
            "error",
            #"{"formatVersion":1,"error":{"code":"x","exitStatus":0,"text":"x","hint":null}}"#,
            "should not be valid under"
        ),
    ])
    func whatIsWrongIsFound(answer: String, text: String, complaint: String) throws {
        var samples = samples
        samples.add(answer, text)
        let complaints = try samples.complaints()
        #expect(complaints.contains { $0.contains(complaint) }, "\(complaints)")
    }
}
