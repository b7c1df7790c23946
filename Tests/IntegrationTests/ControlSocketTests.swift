import Glibc
import JSON
import LinuxSystem
import TestSupport
import Testing

/// The socket at which programs of a protocol look for its provider.
@Suite(
    .serialized,
    .enabled("\(PrivateNamespace.requirement)") { try PrivateNamespace.isPresent })
struct ControlSocketTests {
    /// Serves the socket from the side, each connection with one line.
    private static let look = """
        import threading
        if not start["controlSocket"]:
            return {"socket": None}
        listener = socket.socket(fileno=start["controlSocket"]["fd"])
        listener.setblocking(True)
        def serve():
            while True:
                connection, _ = listener.accept()
                connection.sendall(b"here is " + start["interface"]["name"].encode())
                connection.close()
        threading.Thread(target=serve, daemon=True).start()
        return {"socket": listener.getsockname() != "", "isUnix": listener.family.name,
                "uid": os.getuid()}
        """

    /// A root whose provider has its socket in a directory of this test alone.
    private struct Site {
        let installation: Installation
        let directory: String

        init() throws {
            installation = try Installation()
            directory = "\(installation.root)/outside/wireguard"
            try installation.installProbe(
                ControlSocketTests.look, "\"controlSocket\": \"\(directory)/{interface}.sock\"")
            for (number, name) in ["office", "branch"].enumerated() {
                try installation.save(
                    name, "provider=\(ProbeProvider.identifier)", "interface.name=\(name)",
                    "providerConfiguration.addresses=[\"10.98.\(number).1/30\"]")
            }
        }

        func path(_ name: String) -> String { "\(directory)/\(name).sock" }

        var names: [String] { (try? Directory.names(directory)) ?? [] }

        /// What the provider says to who connects.
        func said(_ name: String) throws -> String {
            try Command.run([
                "python3", "-c",
                """
                import socket, sys
                made = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
                made.settimeout(5)
                made.connect("\(path(name))")
                print(made.recv(100).decode(), end="")
                """,
            ]).output
        }

        /// A socket file at which somebody listens for as long as the command runs.
        func occupied(_ name: String) throws -> Command {
            try Directory.create(directory, mode: 0o700)
            let process = try Command([
                "python3", "-c",
                """
                import socket, time
                made = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
                made.bind("\(path(name))")
                made.listen()
                print("ready", flush=True)
                time.sleep(60)
                """,
            ])
            guard try process.output(until: "ready").contains("ready") else {
                throw Unexpected("no socket")
            }
            return process
        }
    }

    @Test func theProviderListensAtTheManifestsPathAndNothingIsLeft() throws {
        let site = try Site()
        let report = try site.installation.report(ofStarted: "office")
        #expect(report["socket"] == .bool(true))
        #expect(report["isUnix"] == .string("AF_UNIX"))
        #expect(report["uid"] != .integer(0))
        var status = stat()
        #expect(stat(site.path("office"), &status) == 0)
        #expect(status.st_mode == S_IFSOCK | 0o600 && status.st_uid == 0)
        #expect(stat(site.directory, &status) == 0)
        #expect(status.st_mode & 0o7777 == 0o700)
        #expect(try site.said("office") == "here is office")
        #expect(try site.installation.warnings("office").isEmpty)
        // Of two tunnels each has its own.
        #expect(try site.installation.report(ofStarted: "branch")["socket"] == .bool(true))
        #expect(try site.said("branch") == "here is branch")
        #expect(try site.installation.utunctl("stop", "office").status == 0)
        #expect(site.names == ["branch.sock"])
        #expect(try site.said("branch") == "here is branch")
        kill(try site.installation.livingProvider(of: "branch"), SIGKILL)
        #expect(eventually { site.names.isEmpty })
    }

    @Test func aManifestWithoutOneHasNone() throws {
        let site = try Installation()
        try site.installProbe(Self.look)
        try site.save("office", "provider=\(ProbeProvider.identifier)")
        #expect(try site.report(ofStarted: "office")["socket"] == .null)
    }

    @Test func aSocketOfSomebodyWhoLivesIsLeftAloneAndToldOf() throws {
        let site = try Site()
        let other = try site.occupied("office")
        let report = try site.installation.report(ofStarted: "office")
        #expect(report["socket"] == .null)
        let status = try site.installation.utunctl("status", "office")
        #expect(status.status == 0)
        #expect(status.output.contains("controlSocketTaken: \(site.path("office"))"), "\(status)")
        #expect(try site.installation.utunctl("stop", "office").status == 0)
        #expect(site.names == ["office.sock"])
        guard case .living = SocketFile.look(at: site.path("office")) else {
            throw Unexpected("the other's socket is gone")
        }
        other.signal(SIGKILL)
        _ = try other.finish()
        // Now nobody listens there any more.
        #expect(try site.installation.report(ofStarted: "office")["socket"] == .bool(true))
        #expect(try site.said("office") == "here is office")
        #expect(try site.installation.warnings("office").isEmpty)
    }

    @Test(arguments: ["touch PATH", "mkdir PATH", "ln -s /etc/passwd PATH"])
    func whatIsNoSocketIsLeftAlone(made: String) throws {
        let site = try Site()
        try Directory.create(site.directory, mode: 0o700)
        let command = made.replacing("PATH", with: site.path("office"))
        #expect(try Command.run(["sh", "-c", command]).status == 0)
        #expect(try site.installation.report(ofStarted: "office")["socket"] == .null)
        #expect(try site.installation.warnings("office") == ["controlSocketTaken"])
        #expect(try site.installation.utunctl("stop", "office").status == 0)
        #expect(site.names == ["office.sock"])
    }

    @Test func aDirectoryThatOthersMayWriteHoldsNoSocket() throws {
        let site = try Site()
        try Directory.create(site.directory, mode: 0o777)
        #expect(try site.installation.report(ofStarted: "office")["socket"] == .null)
        let warnings = try site.installation.status("office")["warnings"]?.array
        #expect(warnings?.first?.object?["code"] == .string("controlSocketMissing"))
        #expect(warnings?.first?.object?["degrades"] == .bool(false))
        #expect(site.names.isEmpty)
    }

    @Test func anotherSocketAtItsPathIsNotRemovedAtTheEnd() throws {
        let site = try Site()
        #expect(try site.installation.utunctl("start", "--wait", "office").status == 0)
        #expect(unlink(site.path("office")) == 0)
        let other = try site.occupied("office")
        #expect(try site.installation.utunctl("stop", "office").status == 0)
        #expect(site.names == ["office.sock"])
        other.signal(SIGKILL)
        _ = try other.finish()
    }

    @Test(arguments: ["start", "stop", "repair"])
    func whatAKilledHostLeftGoesWithTheNextVerb(verb: String) throws {
        let site = try Site()
        let office = site.installation
        #expect(try office.utunctl("start", "--wait", "office").status == 0)
        kill(try office.livingHost(of: "office"), SIGKILL)
        #expect(
            eventually {
                if case .stale = SocketFile.look(at: site.path("office")) { true } else { false }
            })
        #expect(try office.utunctl("doctor").output.contains(site.path("office")))
        // The interface has another name by now: nothing but the record tells of the socket.
        try office.save("office", "interface.name=later")
        let result = try office.utunctl(verb, "office")
        #expect(result.status == 0, "\(result)")
        if verb == "repair" {
            #expect(result.output.contains("cleared controlSocket \(site.path("office"))"))
        }
        if verb == "start" {
            #expect(try eventually { try office.word("office") == "connected" })
            #expect(try site.said("later") == "here is later")
            #expect(site.names == ["later.sock"])
            #expect(try office.utunctl("stop", "office").status == 0)
        }
        #expect(site.names.isEmpty)
    }

    @Test func whatAKilledHostLeftAndAnotherTookIsTheOthers() throws {
        let site = try Site()
        #expect(try site.installation.utunctl("start", "--wait", "office").status == 0)
        kill(try site.installation.livingHost(of: "office"), SIGKILL)
        #expect(eventually { (try? Kernel.tunnels().isEmpty) == true })
        #expect(unlink(site.path("office")) == 0)
        let other = try site.occupied("office")
        other.signal(SIGKILL)
        _ = try other.finish()
        #expect(try site.installation.utunctl("repair").status == 0)
        #expect(site.names == ["office.sock"])
    }

    @Test func aTunnelElsewhereThatHasTheNumberLeavesAnother() throws {
        let site = try Site()
        let (there, here) = ("office", "branch")
        try Kernel.ip("netns", "add", "sockets")
        defer { _ = try? Kernel.ip("netns", "delete", "sockets") }
        for name in [there, here] { try site.installation.save(name, "interface.name=utun%d") }
        try site.installation.save(there, "interface.networkNamespace=sockets")
        for (name, interface) in [(there, "utun0"), (here, "utun1")] {
            let start = try site.installation.utunctl("start", "--wait", name)
            #expect(start.output.contains("(\(interface))"), "\(start)")
            #expect(try site.installation.warnings(name).isEmpty)
            #expect(try site.said(interface) == "here is \(interface)")
        }
        #expect(try site.installation.utunctl("stop", "--all").status == 0)
        #expect(site.names.isEmpty)
    }

    @Test func aSocketThatAnotherTunnelHasIsSaidToBeItsOwn() throws {
        let site = try Site()
        try Kernel.ip("netns", "add", "sockets")
        defer { _ = try? Kernel.ip("netns", "delete", "sockets") }
        try site.installation.save(
            "branch", "interface.networkNamespace=sockets", "interface.name=office")
        for name in ["office", "branch"] {
            #expect(try site.installation.utunctl("start", "--wait", name).status == 0)
        }
        let warnings = try site.installation.status("branch")["warnings"]?.array
        let text = warnings?.first?.object?["text"]?.string ?? ""
        #expect(text.contains("the provider of office listens there"), "\(text)")
        #expect(text.contains("utunctl save branch --set interface.name="), "\(text)")
        #expect(try site.installation.utunctl("stop", "--all").status == 0)
    }
}
