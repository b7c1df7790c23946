import Glibc
import JSON
import LinuxSystem
import TestSupport
import Testing

/// What long waits say: on a terminal in one line that goes again, elsewhere what changes.
@Suite(
    .serialized,
    .enabled("\(PrivateNamespace.requirement)") { try PrivateNamespace.isPresent })
struct WaitProgressTests {
    /// Runs the program on a terminal, and answers what that was sent, with the exit status.
    private func onTerminal(_ site: Installation, term: String, _ arguments: String...) throws
        -> (shown: String, status: Int32)
    {
        let script = """
            import os, pty, sys
            pid, fd = pty.fork()
            if pid == 0:
                os.execv(sys.argv[1], sys.argv[1:])
            seen = b""
            try:
                while True:
                    seen += os.read(fd, 4096)
            except OSError:
                pass
            sys.stdout.buffer.write(seen)
            sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
            """
        let result = try Command.run(
            ["/usr/bin/python3", "-c", script] + site.command(arguments),
            environment: term.isEmpty ? [:] : ["TERM": term])
        return (result.output, result.status)
    }

    private func hanging() throws -> Installation {
        let site = try Installation()
        try site.save("office", "providerConfiguration.hangOnStart=true")
        return site
    }

    @Test func onATerminalOneLineIsRewrittenAndTakenAway() throws {
        let site = try hanging()
        let (shown, status) = try onTerminal(
            site, term: "xterm", "start", "--wait", "--timeout", "1500ms", "office")
        #expect(status == 9)
        #expect(
            shown.contains("\roffice: connecting, waiting for connected, 2 s left\u{1B}[K"),
            "\(shown)")
        #expect(shown.contains(", 1 s left\u{1B}[K"), "\(shown)")
        // What stays is what was said for good.
        let lines = shown.split(separator: "\r\n")
        #expect(lines.first?.contains("\r\u{1B}[Kutunctl: start office: ") == true, "\(shown)")
    }

    @Test(arguments: ["start --wait", "restart --wait", "wait", "run"])
    func everyLongWaitTells(verb: String) throws {
        let site = try hanging()
        if verb == "wait" { _ = try site.utunctl("start", "office") }
        var arguments = verb.split(separator: " ").map(String.init)
        arguments += ["office", "--timeout", "300ms"]
        if verb == "run" { arguments += ["--", "true"] }
        let script = "import pty, sys; sys.exit(pty.spawn(sys.argv[1:]) >> 8)"
        let result = try Command.run(
            ["/usr/bin/python3", "-c", script] + site.command(arguments),
            environment: ["TERM": "xterm"])
        #expect(result.status == 9, "\(result)")
        #expect(result.output.contains("\roffice: connecting, waiting for "), "\(result)")
    }

    @Test func aLongStopTellsAfterASecond() throws {
        let site = try Installation()
        try site.save("office", "providerConfiguration.ignoreStop=true", "stopTimeout=2")
        #expect(try site.utunctl("start", "--wait", "office").status == 0)
        let (shown, status) = try onTerminal(site, term: "xterm", "stop", "office")
        #expect(status == 0, "\(shown)")
        #expect(shown.contains("\roffice: disconnecting, waiting for its end, "), "\(shown)")
        try site.save("office", "providerConfiguration.ignoreStop=false")
        #expect(try site.utunctl("start", "--wait", "office").status == 0)
        let (quick, _) = try onTerminal(site, term: "xterm", "stop", "office")
        #expect(quick == "office: stopped\r\n")
    }

    @Test(arguments: ["", "dumb"])
    func aTerminalThatCannotRewriteGetsLines(term: String) throws {
        let site = try Installation()
        try site.save("office")
        let (shown, status) = try onTerminal(
            site, term: term, "wait", "office", "--timeout", "500ms")
        #expect(status == 3)
        #expect(
            shown.hasPrefix("utunctl: office: disconnected, waiting for connected\r\n"), "\(shown)")
        #expect(!shown.contains("\u{1B}"))
    }

    @Test func quietIsQuiet() throws {
        let site = try hanging()
        for term in ["xterm", "dumb"] {
            let (shown, status) = try onTerminal(
                site, term: term, "start", "-q", "--wait", "--timeout", "500ms", "office")
            #expect(status == 9)
            #expect(shown.split(separator: "\r\n").count == 2, "\(shown)")
            #expect(shown.hasPrefix("utunctl: start office: not connected"), "\(shown)")
        }
    }

    @Test func withoutATerminalNothingIsSaidOfWhatGoesAsItShould() throws {
        let site = try Installation()
        try site.save("office")
        let start = try site.utunctl("start", "--wait", "office")
        #expect(start.errors.isEmpty, "\(start)")
        let json = try site.utunctl("restart", "--wait", "--json", "office")
        #expect(json.errors.isEmpty, "\(json)")
        #expect(json.output.split(separator: "\n").count == 1)
    }

    @Test func aRunningTunnelTakesItsNewName() throws {
        let site = try Installation()
        try site.save("office")
        #expect(try site.utunctl("start", "--wait", "office").status == 0)
        let attempt = try site.status("office")["attempt"]
        let rename = try site.utunctl("rename", "office", "home")
        #expect(rename.status == 0, "\(rename)")
        #expect(try site.utunctl("status", "office").status == 4)
        let status = try site.status("home")
        #expect(status["name"] == .string("home"))
        #expect(status["attempt"] == attempt)
        #expect(status["status"] == .string("connected"))
        #expect(status["restartNeeded"] == .bool(false))
        #expect(try site.utunctl("start", "home").status == 0)
        #expect(try site.utunctl("wait", "home").status == 0)
        #expect(try site.utunctl("stop", "home").status == 0)
        #expect(try Kernel.tunnels().isEmpty)
    }
}
