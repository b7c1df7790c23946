import Glibc
import JSON
import LinuxSystem
import TestSupport
import Testing

/// The status from odd places, and of sessions that are not quite what is saved.
@Suite(
    .serialized,
    .enabled("\(PrivateNamespace.requirement)") { try PrivateNamespace.isPresent })
struct StatusElsewhereTests {
    private func started(_ settings: String...) throws -> Installation {
        let site = try Installation()
        try site.save("office")
        for setting in settings { try site.save("office", setting) }
        #expect(try site.utunctl("start", "--wait", "office").status == 0)
        return site
    }

    @Test func aReaderWithoutTheNetworkTakesTheHostsOwnReading() throws {
        let site = try started(#"providerConfiguration.addresses=["10.99.0.1/30"]"#)
        #expect(try Command.run(["ping", "-q", "-f", "-c", "10", "10.99.0.2"]).status == 0)
        let here = try site.status("office")
        let result = try Command.run(
            ["unshare", "-n"] + site.command(["--json", "status", "office"]))
        #expect(result.status == 0, "\(result)")
        let answer = try Installation.parse(result.output)
        let there = try #require(answer["tunnels"]?.array?.first?.object)
        #expect(there["status"] == .string("connected"))
        #expect(there["counters"] == here["counters"])
        #expect(there["warnings"] == .array([]))
        let own = RunningProcess(pid: getpid()).namespace("net")
        #expect(there.value("interface.networkNamespace")?.string == own)
        for key in ["name", "index", "mtu", "addresses"] {
            #expect(there.value("interface.\(key)") == here.value("interface.\(key)"), "\(key)")
        }
        let text = try Command.run(
            ["unshare", "-n"] + site.command(["status", "--explain", "office"]))
        #expect(text.output.contains("by the session host in \(own ?? "")"), "\(text)")
    }

    @Test func aReaderWithoutTheNetworkKnowsWhatIsStopped() throws {
        let site = try started()
        #expect(try site.utunctl("stop", "office").status == 0)
        let deadline = Deadline.after(milliseconds: 1000)
        let result = try Command.run(["unshare", "-n"] + site.command(["status", "office"]))
        #expect(!deadline.hasPassed)
        #expect(result.status == 3, "\(result)")
    }

    @Test func aSavedChangeNeedsARestartUntilItIsTakenBack() throws {
        let site = try started()
        #expect(try site.status("office")["restartNeeded"] == .bool(false))
        try site.save("office", "title=Only words")
        #expect(try site.status("office")["restartNeeded"] == .bool(false))

        try site.save("office", "interface.mtu=1400")
        let changed = try site.status("office")
        #expect(changed["restartNeeded"] == .bool(true))
        #expect(changed["restartReasons"] == .array([.string("interface")]))
        #expect(changed["savedGeneration"] != changed["runningGeneration"])
        #expect(changed["status"] == .string("connected"))
        #expect(try site.utunctl("status", "office").status == 0)
        let start = try site.utunctl("start", "office")
        #expect(start.status == 12, "\(start)")

        #expect(try site.utunctl("save", "office", "--unset", "interface.mtu").status == 0)
        #expect(try site.status("office")["restartNeeded"] == .bool(false))
        let again = try site.utunctl("start", "office")
        #expect(again.status == 0)
        #expect(again.errors == "utunctl: office: it runs already\n")
    }

    @Test func aReplacedCredentialNeedsARestart() throws {
        let site = try Installation()
        let path = "etc/utunctl/credentials/key"
        try site.write("one", to: path, mode: 0o600)
        try site.save("office", "credentials.key=file:key")
        #expect(try site.utunctl("start", "--wait", "office").status == 0)
        #expect(try site.status("office")["restartNeeded"] == .bool(false))
        try site.write("two", to: "\(path).new", mode: 0o600)
        #expect(rename("\(site.root)/\(path).new", "\(site.root)/\(path)") == 0)
        let changed = try site.status("office")
        #expect(changed["restartReasons"] == .array([.string("credentials.key")]))
        #expect(unlink("\(site.root)/\(path)") == 0)
        let gone = try site.status("office")
        #expect(gone["restartReasons"] == .array([.string("credentials.key")]))
        #expect(try site.utunctl("start", "office").status == 12)
    }

    @Test func aReaderThatMayNotSeeTheSecretsClaimsNothingAboutThem() throws {
        let site = try Installation()
        try site.write("one", to: "etc/utunctl/credentials/key", mode: 0o600)
        try site.save("office", "credentials.key=file:key")
        #expect(try site.utunctl("start", "--wait", "office").status == 0)
        #expect(chown("\(site.root)/etc/utunctl/credentials", 12_345, 12_345) == 0)
        let result = try Command.run(
            ["setpriv", "--bounding-set", "-dac_override,-dac_read_search"]
                + site.command(["--json", "status", "office"]))
        let answer = try Installation.parse(result.output)
        let tunnel = try #require(answer["tunnels"]?.array?.first?.object)
        #expect(tunnel["restartNeeded"] == .bool(false), "\(result)")
    }

    @Test func deadSocketsCostNoTime() throws {
        let site = try Installation()
        try site.save("office")
        let identifier = try site.identifier(of: "office")
        for stale in [identifier] + (0..<30).map({ "7b0d0000-0000-4000-8000-0000000000\($0 + 10)" })
        {
            let script = """
                import os, socket, sys
                os.chdir(sys.argv[1])
                socket.socket(socket.AF_UNIX).bind(sys.argv[2])
                """
            try site.write("", to: "run/utunctl/\(stale).lock")
            _ = try Command.run([
                "/usr/bin/python3", "-c", script, "\(site.root)/run/utunctl", "\(stale).sock",
            ])
        }
        let deadline = Deadline.after(milliseconds: 1000)
        let one = try site.utunctl("status", "office")
        let all = try site.utunctl("--json", "status")
        #expect(!deadline.hasPassed)
        #expect(one.status == 3, "\(one)")
        #expect(all.status == 0)
    }

    @Test func aProviderThatHangsDoesNotHangTheStatus() throws {
        let site = try started()
        let provider = try RunningProcess(providerOf: site, "office")
        #expect(kill(provider.pid, SIGSTOP) == 0)
        let deadline = Deadline.after(milliseconds: 1000)
        let result = try site.utunctl("--json", "status", "office")
        #expect(!deadline.hasPassed)
        #expect(result.status == 5)
        let answer = try Installation.parse(result.output)
        let tunnel = try #require(answer["tunnels"]?.array?.first?.object)
        #expect(tunnel["status"] == .string("unknown"))
        #expect(tunnel["warnings"]?.array?.first?.object?["code"] == .string("providerSilent"))
        #expect(tunnel.value("counters.sentBytes")?.integer != nil)
        #expect(kill(provider.pid, SIGCONT) == 0)
        #expect(try eventually { try site.utunctl("status", "office").status == 0 })
    }

    @Test func aRemovedConfigurationThatRunsIsStillShown() throws {
        let site = try started()
        let identifier = try site.identifier(of: "office")
        try site.write(
            #"{"formatVersion": 1, "generation": 9, "configurations": []}"#,
            to: "etc/utunctl/preferences.json", mode: 0o600)
        for name in ["office", identifier] {
            let tunnel = try site.status(name)
            #expect(tunnel["status"] == .string("connected"))
            #expect(tunnel["name"] == .string("office"))
            #expect(tunnel["savedGeneration"] == .null)
        }
        #expect(try site.utunctl("stop", "office").status == 0)
        #expect(try site.utunctl("status", "office").status == 4)
    }
}
