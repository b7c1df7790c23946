import Glibc
import JSON
import LinuxSystem
import TestSupport
import Testing

/// Secrets: handed to the provider alone, and only where nobody else could have read them.
@Suite(
    .serialized,
    .enabled("\(PrivateNamespace.requirement)") { try PrivateNamespace.isPresent })
struct CredentialTests {
    private static let secret = "canary-5b1f0c9e77"

    /// Proves that the provider has the secret, without repeating it.
    private static let look = """
        number = start["credentials"]["key"]["fd"]
        text = os.read(number, 100).decode()
        try:
            os.write(number, b"x")
            change = "written"
        except OSError as error:
            change = error.errno
        return {"length": len(text), "sum": sum(text.encode()), "change": change,
                "uid": os.getuid()}
        """

    private func site(_ reference: String) throws -> Installation {
        let site = try Installation()
        try site.installProbe(Self.look)
        try site.write(Self.secret, to: "etc/utunctl/credentials/office.key", mode: 0o600)
        try site.save(
            "office", "provider=\(ProbeProvider.identifier)", "startTimeout=20",
            "credentials.key=\(reference.filling(site))")
        return site
    }

    private func expectHanded(_ report: JSONObject) {
        #expect(report["length"] == .integer(Int64(Self.secret.utf8.count)))
        #expect(report["sum"] == .integer(Self.secret.utf8.reduce(0) { $0 + Int64($1) }))
        #expect(report["change"] == .integer(Int64(EBADF)))
        #expect(report["uid"] != .integer(0))
    }

    @Test(arguments: ["file:office.key", "file:ROOT/etc/utunctl/credentials/office.key"])
    func theProviderInheritsTheFileForReading(reference: String) throws {
        let site = try site(reference)
        expectHanded(try site.report(ofStarted: "office"))
    }

    @Test func aCredentialOfTheServiceManagerIsTakenFromItsDirectory() throws {
        let site = try site("credential:office.key")
        #expect(try site.utunctl("start", "office").status == 7)
        let environment = ["CREDENTIALS_DIRECTORY": "\(site.root)/etc/utunctl/credentials"]
        let start = try site.utunctl("start", "--wait", "office", environment: environment)
        #expect(start.status == 0, "\(start)")
        let tunnel = try site.status("office")
        expectHanded(try #require(tunnel.value("provider.report")?.object))
        // The reader has no such directory; that is no reason for a restart.
        #expect(tunnel["restartNeeded"] == .bool(false), "\(tunnel)")
        #expect(try site.utunctl("start", "office").status == 0)
    }

    @Test(arguments: [
        ("chmod 0644 KEY", "mode 0644"), ("chown 12345 KEY", "belongs to uid 12345"),
        ("mv KEY KEY.old; ln -s KEY.old KEY", "a symbolic link, which is not followed"),
        ("rm KEY", "No such file"),
        ("rm KEY; mkfifo -m 0600 KEY", "not a regular file: a FIFO"),
        ("rm KEY; mkdir -m 0700 KEY", "not a regular file: a directory"),
        ("rm KEY; mknod -m 0600 KEY c 1 3 || ln -s /dev/null KEY", "not a regular file: a "),
    ])
    func aFileThatOthersMayHaveReadIsRefusedByItsPath(change: String, problem: String) throws {
        let site = try site("file:office.key")
        let path = "\(site.root)/etc/utunctl/credentials/office.key"
        let shell = change.split(separator: " ").map {
            $0.replacing("KEY", with: path)
        }.joined(separator: " ")
        #expect(try Command.run(["sh", "-c", shell]).status == 0)
        let before = try Kernel.snapshot()
        for _ in 0..<2 {
            let start = try site.utunctl("start", "office")
            #expect(start.status == 7, "\(change): \(start)")
            #expect(start.errors.contains(path), "\(start)")
            #expect(start.errors.contains(problem), "\(start)")
        }
        #expect(try Kernel.snapshot() == before)
    }

    @Test func aReplacedCredentialIsAReasonToRestart() throws {
        let site = try site("file:office.key")
        expectHanded(try site.report(ofStarted: "office"))
        func reasons() throws -> JSONValue? { try site.status("office")["restartReasons"] }
        #expect(try reasons() == .array([]))
        let path = "etc/utunctl/credentials/office.key"
        // As `credential set --replace` does it: a new file in the place of the old one.
        #expect(unlink("\(site.root)/\(path)") == 0)
        try site.write(Self.secret, to: path, mode: 0o600)
        #expect(try reasons() == .array([.string("credentials.key")]))
        let tunnel = try site.status("office")
        #expect(tunnel["restartNeeded"] == .bool(true))
        #expect(tunnel["status"] == .string("connected"))
        let start = try site.utunctl("start", "office")
        #expect(start.status == 12 && start.errors.contains("credentials.key"), "\(start)")
        #expect(try site.utunctl("restart", "--wait", "office").status == 0)
        #expect(try reasons() == .array([]))
    }

    @Test func aDirectoryThatMayNotBeSearchedIsNamed() throws {
        let site = try site("file:ROOT/closed/office.key")
        try site.write(Self.secret, to: "closed/office.key", mode: 0o600)
        #expect(chown("\(site.root)/closed", 12_345, 12_345) == 0)
        chmod("\(site.root)/closed", 0o700)
        // Root is let in everywhere by a capability that it can do without.
        let result = try Command.run(
            ["setpriv", "--bounding-set", "-dac_override,-dac_read_search"]
                + site.command(["start", "office"]))
        #expect(result.status == 7, "\(result)")
        #expect(result.errors.contains("\(site.root)/closed: Permission denied"), "\(result)")
    }

    @Test func aRequiredCredentialThatIsNotConfiguredIsNamed() throws {
        let site = try Installation()
        try site.installProbe("return {}")
        try site.writeManifest(
            """
            {"formatVersion": 1, "identifier": "org.example.probe",
             "executable": "/usr/libexec/utunctl/probe", "protocolVersion": 1,
             "credentials": ["privateKey"]}
            """, identifier: ProbeProvider.identifier)
        try site.save("office", "provider=\(ProbeProvider.identifier)")
        let start = try site.utunctl("start", "office")
        #expect(start.status == 7)
        #expect(start.errors.contains("privateKey"))
    }

    @Test func theSecretAppearsNowhere() throws {
        let site = try site("file:office.key")
        _ = try site.report(ofStarted: "office")
        let provider = try RunningProcess(providerOf: site, "office")
        let host = try #require(provider.parent)
        var said = ""
        for process in [provider, host] {
            said += process.file("cmdline") + process.file("environ")
        }
        for arguments in [
            ["status", "office"], ["--json", "status", "office", "--counters", "--explain"],
            ["load"], ["--json", "doctor"], ["providers"],
        ] {
            said += "\(try Command.run(site.command(arguments)))"
        }
        chmod("\(site.root)/etc/utunctl/credentials/office.key", 0o644)
        #expect(try site.utunctl("stop", "office").status == 0)
        said += "\(try site.utunctl("start", "office"))"
        #expect(!said.contains(Self.secret))
        let found = try Command.run([
            "grep", "-rl", Self.secret, "\(site.root)/etc", "\(site.root)/run",
        ])
        #expect(found.output == "\(site.root)/etc/utunctl/credentials/office.key\n")
    }
}

extension String {
    fileprivate func filling(_ site: Installation) -> String {
        replacing("ROOT", with: site.root)
    }
}
