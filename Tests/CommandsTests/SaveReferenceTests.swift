import Glibc
import JSON
import LinuxSystem
import TestSupport
import Testing

/// What a configuration refers to is looked at when it is saved: missing or lax is a warning,
/// and a refusal with --strict.
@Suite struct SaveReferenceTests {
    private let credential = "/etc/utunctl/credentials/key"
    private let preferences = "/etc/utunctl/preferences.json"
    private let root: TemporaryRoot

    init() throws {
        root = try TemporaryRoot()
        try root.installProvider()
        try root.installProvider("org.example.tls", keys: #", "trust": "x509""#)
        try root.installProvider("org.example.noise", keys: #", "trust": "wireguard""#)
    }

    private func warnings(_ run: Command.Result) -> [String] {
        (run.json?["warnings"]?.array ?? []).compactMap(\.object).map { warning in
            ["code", "path", "text"].map { warning[$0]?.string ?? "" }.joined(separator: " | ")
        }
    }

    /// Faults of a credential's file, and what is said of each.
    static let faults: [(fault: String, problem: String, remedy: String)] = [
        ("missing", "No such file or directory", "utunctl credential set key"),
        ("empty", "it is empty", "utunctl credential set --replace key"),
        ("0644", "mode 0644 lets others read or write it", "chmod 0600 "),
        ("0620", "mode 0620 lets others read or write it", "chmod 0600 "),
        ("0604", "mode 0604 lets others read or write it", "chmod 0600 "),
        ("directory", "not a regular file: a directory", "away, then utunctl credential set key"),
        ("fifo", "not a regular file: a FIFO", "away, then utunctl credential set key"),
        ("socket", "not a regular file: a socket", "away, then utunctl credential set key"),
        (
            "link", "not a regular file: a symbolic link, which is not followed",
            "away, then utunctl credential set key"
        ),
        (
            "dangling", "not a regular file: a symbolic link, which is not followed",
            "away, then utunctl credential set key"
        ),
    ]

    private func make(_ fault: String) throws {
        let path = root.path(credential)
        switch fault {
        case "missing": try root.makeDirectory("/etc/utunctl/credentials", mode: 0o700)
        case "empty": try root.write(credential, "", mode: 0o600)
        case "directory": try root.makeDirectory(credential, mode: 0o700)
        case "fifo":
            try root.makeDirectory("/etc/utunctl/credentials", mode: 0o700)
            #expect(mkfifo(path, 0o600) == 0)
        case "socket":
            try root.makeDirectory("/etc/utunctl/credentials", mode: 0o700)
            let directory = try FileDescriptor.open(
                root.path("/etc/utunctl/credentials"), O_RDONLY | O_DIRECTORY)
            _ = try UnixSocket.listen(at: "key", in: directory, mode: 0o600)
        case "link", "dangling":
            try root.write("\(credential).old", "hunter2", mode: 0o600)
            #expect(symlink(fault == "link" ? "key.old" : "gone", path) == 0)
        default:
            try root.write(credential, "hunter2", mode: try #require(UInt32(fault, radix: 8)))
        }
    }

    @Test(arguments: faults)
    func aCredentialThatCannotBeUsedIsAWarningAndWithStrictARefusal(
        fault: String, problem: String, remedy: String
    ) throws {
        try make(fault)
        let save = ["save", "a", "--json", "--set", "credentials.k=file:key"]
        let text = "the credential k cannot be used: \(root.path(credential)): \(problem)"
        let strict = try root.run(save + ["--strict"])
        #expect(strict.status == 7, "\(strict)")
        let error = strict.json?["error"]?.object
        #expect(error?["code"] == .string("warningRefused"))
        #expect(error?["text"]?.string?.hasPrefix("credentials.k: \(text)") == true, "\(strict)")
        #expect(try root.run(save + ["--strict", "--dry-run"]).status == 7)
        #expect(root.read(preferences) == nil)
        let rehearsed = try root.run(save + ["--dry-run"])
        #expect(rehearsed.status == 0)
        let told = "credentialUnusable | credentials.k | \(text); "
        #expect(warnings(rehearsed).count == 1 && warnings(rehearsed)[0].hasPrefix(told))
        #expect(root.read(preferences) == nil)
        let run = try root.run(save)
        #expect(run.status == 0)
        #expect(warnings(run) == warnings(rehearsed))
        #expect(warnings(run)[0].contains(remedy), "\(run)")
        // Start says the same, and starts nothing.
        let start = try root.run(["start", "--json", "a"])
        #expect(start.status == 7, "\(start)")
        #expect(start.json?.value("error.text") == .string(text))
        #expect(start.json?.value("error.hint")?.string?.contains(remedy) == true, "\(start)")
        #expect(!"\(strict)\(run)\(start)".contains("hunter2"))
    }

    @Test func aDeviceIsNotOpened() throws {
        let run = try root.run(["save", "a", "--json", "--set", "credentials.k=file:/dev/null"])
        #expect(warnings(run).first?.contains("/dev/null: not a regular file: a device") == true)
    }

    @Test func whatCanBeUsedIsSavedStrictly() throws {
        try root.write(credential, "hunter2", mode: 0o600)
        try root.write("/elsewhere/key", "hunter2", mode: 0o400)
        for reference in ["key", root.path("/elsewhere/key")] {
            let run = try root.run(
                ["save", "a", "--strict", "--set", "credentials.k=file:\(reference)"])
            #expect(run.status == 0 && run.errors == "", "\(run)")
        }
        // What systemd hands over is there only while a unit runs.
        let systemd = try root.run(
            ["save", "a", "--strict", "--set", "credentials.k=credential:key"])
        #expect(systemd.status == 0 && systemd.errors == "", "\(systemd)")
        let start = try root.run(["start", "a"])
        #expect(start.status == 7)
        #expect(start.errors.contains("credential:key: systemd hands it over"), "\(start)")
    }

    @Test func strictRefusesEveryWarningAndSaysTheOthersToo() throws {
        let run = try root.run([
            "save", "a", "--strict", "--provider", "org.example.none",
            "--set", "routing.excludedRoutes=[\"10.0.0.1/8\"]",
        ])
        #expect(run.status == 7)
        #expect(
            run.errors.contains("10.0.0.1/8 has host bits, taken as 10.0.0.0/8, and 1 more"),
            "\(run)")
        #expect(run.errors.contains("no provider org.example.none is installed"), "\(run)")
        #expect(run.errors.contains("without --strict it is saved with a warning"), "\(run)")
        #expect(root.read(preferences) == nil)
    }

    // MARK: The system's store

    @Test func theSystemsStoreVouchesForNoKeyOfWireGuard() throws {
        let configuration = """
            {"name": "a", "provider": "org.utunctl.wireguard", "trust": ["office/peer1", "system"],
             "providerConfiguration": {"addresses": ["10.9.0.2/24"]}}
            """
        let run = try root.run(["save", "--from", "-"], input: configuration)
        #expect(run.status == 7)
        #expect(
            run.errors.contains("trust[1]: the system's store vouches for certificates"), "\(run)")
        #expect(root.read(preferences) == nil)
    }

    @Test func aProviderOfKeysRefusesTheSystemsStore() throws {
        let run = try root.run(
            [
                "save", "a", "--json", "--provider", "org.example.noise", "--set",
                #"trust=["system"]"#,
            ])
        #expect(run.status == 0)
        #expect(warnings(run).first?.hasPrefix("trustAnchorUnusable | trust | system: ") == true)
        let start = try root.run(["start", "--json", "a"])
        #expect(start.status == 7)
        #expect(start.json?.value("error.code") == .string("trustAnchorUnusable"), "\(start)")
        #expect(try root.run(["doctor"]).output.contains("trustAnchorUnusable: a: system: "))
    }

    @Test func aProviderOfCertificatesTakesIt() throws {
        try root.write("/etc/ssl/certs/ca-certificates.crt", "-----BEGIN CERTIFICATE-----\n")
        let run = try root.run(
            [
                "save", "a", "--strict", "--provider", "org.example.tls", "--set",
                #"trust=["system"]"#,
            ])
        #expect(run.status == 0 && run.errors == "", "\(run)")
    }
}
