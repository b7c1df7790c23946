import Glibc
import JSON
import LinuxSystem
import TestSupport
import Testing

/// `run`: a command with a tunnel around it, which cannot succeed without it.
@Suite(
    .serialized,
    .enabled("\(PrivateNamespace.requirement)") { try PrivateNamespace.isPresent })
struct RunVerbTests {
    private func saved(_ settings: String...) throws -> Installation {
        let site = try Installation()
        try site.save("office")
        for setting in settings { try site.save("office", setting) }
        return site
    }

    /// A run of a shell that has said that it is there.
    private func running(_ site: Installation, _ script: String) throws -> Command {
        let run = try Command(site.command(["run", "office", "--", "sh", "-c", script]))
        guard try run.output(until: "there").contains("there") else {
            throw Unexpected("no command: \(try run.finish(seconds: 1))")
        }
        return run
    }

    @Test func theCommandRunsWhileItIsConnectedAndNotLonger() throws {
        let site = try saved()
        let before = try Kernel.snapshot()
        let status = "\(Installation.built("utunctl")) --root \(site.root) status office"
        let run = try site.utunctl("run", "office", "--", "sh", "-c", "\(status) | head -n 1")
        #expect(run.status == 0, "\(run)")
        #expect(run.output == "office: connected (utun0)\n")
        #expect(run.errors.isEmpty)
        #expect(try Kernel.snapshot() == before)
        #expect(try eventually { try site.hasNoProcess() })
        #expect(try site.lastDisconnect("office").code == "commandEnded")
    }

    @Test func itsInputOutputEnvironmentAndMaskAreTheCallers() throws {
        let site = try saved()
        let script = "cat; umask; echo $MINE; pwd; echo told >&2; trap"
        let program = site.command(["run", "office", "--", "sh", "-c", script])
        let run = try Command.run(
            ["sh", "-c", #"umask 027; cd /usr; exec "$@""#, "sh"] + program,
            environment: ["MINE": "yes"], input: "typed\n")
        #expect(run.status == 0, "\(run)")
        #expect(run.output == "typed\n0027\nyes\n/usr\n")
        #expect(run.errors == "told\n")
    }

    @Test func noSignalIsBlockedOrIgnoredForTheCommand() throws {
        let site = try saved()
        let run = try site.utunctl(
            "run", "office", "--", "grep", "-E", "^Sig(Blk|Ign):", "/proc/self/status")
        let masks = run.output.split(whereSeparator: \.isWhitespace).filter { !$0.hasPrefix("S") }
        #expect(masks.count == 2 && masks.allSatisfy { $0.allSatisfy { $0 == "0" } }, "\(run)")
    }

    @Test func theCommandHasNoDescriptorButItsOwn() throws {
        let site = try saved()
        let run = try site.utunctl("run", "office", "--", "ls", "/proc/self/fd")
        // The last one is that of the directory which is listed.
        #expect(run.output == "0\n1\n2\n3\n", "\(run)")
    }

    @Test(arguments: [
        ("exit 0", Int32(0)), ("exit 7", Int32(7)), ("kill -KILL $$", Int32(137)),
        ("kill -TERM $$", Int32(143)),
    ])
    func itEndsAsTheCommand(script: String, status: Int32) throws {
        let site = try saved()
        let run = try site.utunctl("run", "office", "--", "sh", "-c", script)
        #expect(run.status == status, "\(run)")
        #expect(try site.word("office") == "disconnected")
    }

    @Test(arguments: [
        (#"fail={"code": "serverNotResponding"}"#, Int32(6)), ("hangOnStart=true", Int32(9)),
    ])
    func withoutTheTunnelTheCommandDoesNotRun(fault: String, status: Int32) throws {
        let site = try saved("providerConfiguration.\(fault)")
        let before = try Kernel.snapshot()
        let run = try site.utunctl(
            "run", "office", "--timeout", "500ms", "--", "touch", "\(site.root)/ran")
        #expect(run.status == status, "\(run)")
        #expect(access("\(site.root)/ran", F_OK) != 0)
        #expect(try Kernel.snapshot() == before)
        #expect(try eventually { try site.hasNoProcess() })
    }

    @Test func whatRefusesTheStartRefusesTheCommand() throws {
        let site = try saved("enabled=false")
        let run = try site.utunctl("run", "office", "--json", "--", "touch", "\(site.root)/ran")
        #expect(run.status == 7, "\(run)")
        #expect(run.json?["error"]?.object?["code"] == .string("configurationDisabled"))
        #expect(access("\(site.root)/ran", F_OK) != 0)
    }

    @Test func anInterruptionBeforeItIsConnectedRunsNothing() throws {
        let site = try saved("providerConfiguration.hangOnStart=true")
        let run = try site.start("run", "office", "--", "touch", "\(site.root)/ran")
        #expect(try eventually { try site.word("office") == "connecting" })
        run.signal(SIGTERM)
        let result = try run.finish(seconds: 10)
        #expect(result.status == 143, "\(result)")
        #expect(access("\(site.root)/ran", F_OK) != 0)
        #expect(try site.word("office") == "disconnected")
    }

    @Test(arguments: [
        (SIGINT, "INT"), (SIGTERM, "TERM"), (SIGHUP, "HUP"), (SIGQUIT, "QUIT"), (SIGUSR1, "USR1"),
    ])
    func aSignalIsPassedOnAndThenTheTunnelIsStopped(signal: CInt, name: String) throws {
        let site = try saved()
        let run = try running(
            site,
            "trap 'echo got \(name); exit 5' \(name); echo there; while :; do sleep 0.02; done")
        run.signal(signal)
        let result = try run.finish(seconds: 10)
        #expect(result.status == 5, "\(result)")
        #expect(result.output == "there\ngot \(name)\n")
        #expect(try site.word("office") == "disconnected")
    }

    @Test func whatTheCallerIgnoresTheCommandIgnores() throws {
        let site = try saved()
        let script = "echo there; while [ ! -e \(site.root)/go ]; do sleep 0.02; done"
        let program = site.command(["run", "office", "--", "sh", "-c", script])
        let run = try Command(["sh", "-c", #"trap '' HUP; exec "$@""#, "sh"] + program)
        #expect(try run.output(until: "there").contains("there"))
        run.signal(SIGHUP)
        try site.write("", to: "go")
        let result = try run.finish(seconds: 10)
        #expect(result.status == 0, "\(result)")
    }

    @Test func aCommandThatIsKilledWithItsTerminalIsNotSignalledTwice() throws {
        let site = try saved()
        // The terminal sends SIGINT to both: the command counts how often it comes.
        let script = """
            import os, pty, sys, time, signal
            pid, fd = pty.fork()
            if pid == 0:
                os.execv(sys.argv[1], sys.argv[1:])
            seen = b""
            while b"there" not in seen:
                seen += os.read(fd, 4096)
            os.write(fd, b"\\x03")
            try:
                while True:
                    seen += os.read(fd, 4096)
            except OSError:
                pass
            print(seen.count(b"got"), os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
            """
        let command = """
            trap 'echo got' INT; echo there; n=0
            while [ $n -lt 25 ]; do sleep 0.02; n=$((n + 1)); done; exit 4
            """
        let program = site.command(["run", "office", "--", "sh", "-c", command])
        let result = try Command.run(["/usr/bin/python3", "-c", script] + program)
        #expect(result.output == "1 4\n", "\(result)")
    }

    @Test func aTunnelThatRanBeforeIsLeftRunning() throws {
        let site = try saved()
        #expect(try site.utunctl("start", "--wait", "office").status == 0)
        let attempt = try site.status("office")["attempt"]
        let run = try site.utunctl("run", "office", "--", "true")
        #expect(run.status == 0)
        #expect(run.errors == "utunctl: office: it runs already\n")
        #expect(try site.status("office")["attempt"] == attempt)
        #expect(try site.utunctl("status", "office").status == 0)
    }

    @Test(arguments: [(Int32(0), Int32(6)), (Int32(3), Int32(3))])
    func aTunnelThatIsLostTakesItsSuccessAway(own: Int32, status: Int32) throws {
        let site = try saved()
        let run = try running(
            site,
            "echo there; while [ ! -e \(site.root)/go ]; do sleep 0.02; done; echo on; exit \(own)")
        let provider = try RunningProcess(providerOf: site, "office")
        #expect(kill(provider.pid, SIGKILL) == 0)
        #expect(try eventually { try run.errorsSoFar.contains("the tunnel is lost") })
        // The command has gone on.
        try site.write("", to: "go")
        let result = try run.finish(seconds: 10)
        #expect(result.status == status, "\(result)")
        #expect(result.output == "there\non\n")
        #expect(result.errors.contains("providerCrashed"))
    }

    @Test func aCommandThatEndsBeforeTheTunnelHasDoesNotSucceed() throws {
        // It sees the interface go, which is before the session has come to its end.
        let gone = "while ip link show utun0 >/dev/null 2>&1; do :; done"
        let site = try saved(
            #"providerConfiguration.fail={"code": "serverDisconnected", "after": 100}"#)
        for _ in 1...10 {
            let run = try site.utunctl("run", "office", "--", "sh", "-c", gone)
            #expect(run.status == 6 && run.errors.contains("serverDisconnected"), "\(run)")
        }
        // Or it is on its way down, for as long as its provider likes.
        let slow = try saved("providerConfiguration.ignoreStop=true", "stopTimeout=2")
        let stop = "\(Installation.built("utunctl")) --root \(slow.root) stop --no-wait office"
        let run = try slow.utunctl("run", "office", "--", "sh", "-c", stop)
        #expect(run.status == 6 && run.errors.contains("stoppedByUser"), "\(run)")
    }

    @Test func aTunnelThatIsGoneAsSoonAsItIsThereIsNeverASuccess() throws {
        for after in 0...15 {
            let site = try saved(
                "providerConfiguration.fail={\"code\": \"noNetwork\", \"after\": \(after)}")
            let run = try site.utunctl("run", "office", "--", "sleep", "0.1")
            #expect(run.status == 6, "\(after): \(run)")
        }
    }

    @Test func aTunnelThatWasLostAndIsThereAgainWasLostAllTheSame() throws {
        let site = try saved()
        let run = try running(
            site, "echo there; while [ ! -e \(site.root)/go ]; do sleep 0.02; done")
        #expect(try site.utunctl("stop", "office").status == 0)
        #expect(try site.utunctl("start", "--wait", "office").status == 0)
        try site.write("", to: "go")
        let result = try run.finish(seconds: 10)
        #expect(result.status == 6, "\(result)")
        // Whoever has started it stops it.
        #expect(result.errors.contains("it runs on"))
        #expect(try site.utunctl("status", "office").status == 0)
    }

    @Test func aTunnelThatReassertsIsToldAndNotLost() throws {
        let site = try Installation()
        try site.installPythonProvider("wobbler", Self.wobbler)
        try site.save("office", "provider=org.example.wobbler")
        let run = try running(
            site, "echo there; while [ ! -e \(site.root)/go ]; do sleep 0.02; done")
        #expect(try eventually { try run.errorsSoFar.contains("connected again") })
        try site.write("", to: "go")
        let result = try run.finish(seconds: 10)
        #expect(result.status == 0, "\(result)")
        #expect(result.errors.contains("not connected for the moment: a weak signal"))
    }

    /// A provider that reasserts for a moment after a while.
    private static let wobbler = """
        import json, os, select, socket, time
        channel = socket.socket(fileno=3)
        lines = channel.makefile("r")
        def say(**message):
            channel.sendall((json.dumps(message) + "\\n").encode())
        json.loads(lines.readline())
        say(type="settings", id=1, addresses=["10.98.9.1/30"], includedRoutes=[],
            remoteAddress="192.0.2.1", mtu=None, overhead=0, dns=None)
        while json.loads(lines.readline())["type"] != "settingsApplied":
            pass
        say(type="connected")
        time.sleep(1)
        say(type="reasserting", reason="a weak signal")
        time.sleep(0.2)
        say(type="connected")
        for line in lines:
            message = json.loads(line)
            if message["type"] == "query":
                say(type="report", id=message["id"], lastVerified=None)
            if message["type"] == "stop":
                say(type="stopped")
                break
        """

    @Test func whereItIsKilledTheTunnelStays() throws {
        let site = try saved()
        let run = try running(site, "echo there; exec sleep 1")
        run.signal(SIGKILL)
        #expect(try run.finish(seconds: 5).status == 137)
        #expect(try site.utunctl("status", "office").status == 0)
    }

    @Test func aProviderThatDoesNotStopIsMadeTo() throws {
        let site = try saved("providerConfiguration.ignoreStop=true", "stopTimeout=1")
        let run = try site.utunctl("run", "office", "--", "true")
        #expect(run.status == 0, "\(run)")
        #expect(try eventually { try site.hasNoProcess() })
    }
}
