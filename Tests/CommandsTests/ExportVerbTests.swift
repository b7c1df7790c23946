import Glibc
import JSON
import LinuxSystem
import TestSupport
import Testing

@Suite struct ExportVerbTests {
    private let site: EnrolledRoot
    private var root: TemporaryRoot { site.root }

    init() throws {
        site = try EnrolledRoot()
    }

    private func export(_ name: String = "office", _ options: String...) throws -> Command.Result {
        try root.run(["export", name, "--format", "wg-quick"] + options)
    }

    private static let office = """
        [Interface]
        PrivateKey = \(EnrolledRoot.privateKey)
        Address = 10.9.0.2/24
        MTU = 1380

        [Peer]
        PublicKey = \(EnrolledRoot.publicKey)
        PresharedKey = \(EnrolledRoot.presharedKey)
        Endpoint = 192.0.2.1:51820
        AllowedIPs = 10.9.0.0/16

        """

    @Test func theFileIsTheAnswer() throws {
        try site.enroll()
        for options in [[], ["--quiet"], ["--output", "-"], ["--show-secrets"], ["--strict"]] {
            let run = try root.run(["export", "office", "--format", "wg-quick"] + options)
            #expect(run.status == 0)
            #expect(run.output == Self.office)
            #expect(run.errors == "")
        }
        let json = try #require(try export("office", "--json").json)
        #expect(json["text"]?.string == Self.office)
        #expect(json["file"] == .null)
        #expect(json["omissions"] == .array([]))
        let identifier = try #require(try site.configuration("office")?["identifier"]?.string)
        #expect(try export(identifier).output == Self.office)
    }

    @Test func aFileIsForItsOwnerAloneAndNeverReplacedUnasked() throws {
        try site.enroll()
        let path = root.path("/office.out")
        let command = [
            "sh", "-c", "umask 0; exec \"$@\"", "sh", Installation.built("utunctl"), "--root",
            root.path, "export", "office", "--format", "wg-quick", "--output", path,
        ]
        let run = try Command.run(command)
        #expect(run.status == 0)
        #expect(run.output == "wrote \(path)\n")
        #expect(root.mode("/office.out") == 0o600)
        #expect(root.read("/office.out") == Self.office)
        #expect(root.contents.filter { $0.contains("/.office") }.isEmpty)
        try root.write("/office.out", "other", mode: 0o644)
        let again = try Command.run(command + ["--json"])
        #expect(again.status == 7)
        #expect(again.json?["error"]?.object?["code"]?.string == "fileExists")
        #expect(root.read("/office.out") == "other")
        let replaced = try Command.run(command + ["--replace", "--json"])
        #expect(replaced.status == 0)
        #expect(replaced.json?["file"]?.string == path)
        #expect(replaced.json?["text"] == .null)
        #expect(root.read("/office.out") == Self.office)
        #expect(root.mode("/office.out") == 0o600)
    }

    @Test func whatIsNoFileIsNotReplacedByOne() throws {
        try site.enroll()
        try root.write("/target", "target")
        symlink(root.path("/target"), root.path("/link"))
        symlink(root.path("/nowhere"), root.path("/dangling"))
        mkfifo(root.path("/fifo"), 0o600)
        for name in ["/link", "/dangling", "/fifo", "/etc"] {
            for options in [[], ["--replace"]] {
                let run = try root.run(
                    ["export", "office", "--format", "wg-quick", "--output", root.path(name)]
                        + options)
                #expect(run.status == 7, "\(name): \(run)")
                #expect(!run.output.contains(EnrolledRoot.privateKey))
            }
        }
        #expect(root.read("/target") == "target")
        #expect(Directory.linkTarget(root.path("/dangling")) != nil)
    }

    @Test func aTerminalIsShownNoKeyUnasked() throws {
        try site.enroll()
        func onTerminal(_ options: String) throws -> Command.Result {
            let command =
                "'\(Installation.built("utunctl"))' --root '\(root.path)' export office "
                + "--format wg-quick \(options)"
            return try Command.run(["script", "-qec", command, "/dev/null"], input: "")
        }
        let refused = try onTerminal("")
        #expect(refused.status == 7, "\(refused)")
        #expect(refused.output.contains("its keys would be shown on this terminal"))
        #expect(!refused.output.contains(EnrolledRoot.privateKey))
        #expect(try onTerminal("--json").status == 7)
        let shown = try onTerminal("--show-secrets")
        #expect(shown.status == 0)
        #expect(shown.output.contains(EnrolledRoot.privateKey))
        #expect(try onTerminal("--output '\(root.path)/x'").status == 0)
        #expect(root.read("/x") == Self.office)
    }

    /// Changes to what is enrolled, as a script with its root as `$0`, and the code and a word
    /// of the refusal.
    @Test(arguments: [
        (
            "$U save office --set credentials.privateKey=credential:k", "credentialUnusable",
            "credential:k is"
        ),
        ("rm $0/etc/utunctl/credentials/office.privateKey", "credentialUnusable", "No such file"),
        (
            "chmod 640 $0/etc/utunctl/credentials/office.presharedKey1", "credentialUnusable",
            "presharedKey1 cannot be exported: "
        ),
        (
            "echo secret-word | $U credential set office.privateKey --replace",
            "credentialUnusable", "not a key: 11 char"
        ),
        (
            "head -c 200 /dev/zero | $U credential set office.privateKey --replace",
            "credentialUnusable", "too long"
        ),
        (
            "printf AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA= | $U credential set --replace office.privateKey",
            "credentialUnusable", "nothing but zeros"
        ),
        ("$U save office --unset credentials.privateKey", "credentialMissing", "privateKey"),
        ("rm $0/etc/utunctl/profiles/office.json", "trustAnchorMissing", "office/peer1"),
        (
            "sed -i 's/\"notAfter\": null/\"notAfter\": \"2020-01-01T00:00:00.000000Z\"/' $0/etc/utunctl/profiles/office.json",
            "profileExpired", "2020"
        ),
        (
            "$U save office --provider org.example.other", "providerNotExported",
            "org.example.other"
        ),
    ])
    func whatCannotBeExportedIsRefusedByName(script: String, code: String, told: String) throws {
        try site.enroll()
        let text = script.replacing("$U", with: "'\(Installation.built("utunctl"))' --root \"$0\"")
        let change = try Command.run(["sh", "-c", text, root.path])
        #expect(change.status == 0, "\(change)")
        let run = try export("office", "--json")
        #expect(run.status == 7, "\(run)")
        #expect(run.json?["error"]?.object?["code"]?.string == code)
        #expect(run.errors.contains(told), "\(run.errors)")
        for secret in [EnrolledRoot.privateKey, EnrolledRoot.presharedKey, "secret-word"] {
            #expect(!run.description.contains(secret.prefix(11)))
        }
    }

    @Test(
        arguments: [
            (["nothing", "--format", "wg-quick"], 4, "no configuration nothing"),
            (["office"], 2, "add --format wg-quick"),
            (["office", "--format", "ovpn"], 2, "the format is wg-quick"),
            (["office", "--format", "wg-quick", "--replace"], 2, "--replace goes with --output"),
            ([], 2, "NAME"),
        ] as [([String], Int32, String)])
    func otherCommandLinesAreRefused(arguments: [String], status: Int32, told: String) throws {
        try site.enroll()
        let run = try root.run(["export"] + arguments)
        #expect(run.status == status)
        #expect(run.errors.contains(told), "\(run.errors)")
        #expect(run.output.isEmpty)
    }

    @Test func whatTheFileCannotSayIsNotedAndStrictRefusesIt() throws {
        try site.enroll()
        _ = try root.run(["save", "office", "--set", "routing.includeAllNetworks=true"])
        let run = try export()
        #expect(run.status == 0)
        #expect(run.output == Self.office)
        #expect(
            run.errors == "utunctl: export office: routing.includeAllNetworks is left out: "
                + "the file has no kill switch\n")
        let json = try export("office", "--json").json?["omissions"]?.array?.first?.object
        #expect(json?["path"]?.string == "routing.includeAllNetworks")
        let strict = try export("office", "--strict", "--json")
        #expect(strict.status == 7)
        #expect(strict.json?["error"]?.object?["code"]?.string == "keyNotExported")
        #expect(!strict.output.contains(EnrolledRoot.privateKey))
    }

    @Test func anExportChangesNothingAndIsNoMixtureOfTwoEnrolments() throws {
        try site.enroll()
        let before = site.state
        #expect(try export().status == 0)
        #expect(site.state == before)
        let text = EnrolledRoot.file(
            peers: "[Peer]\nPublicKey = \(EnrolledRoot.otherKey)\nAllowedIPs = 1.2.3.4"
        ).replacing(EnrolledRoot.privateKey, with: EnrolledRoot.presharedKey)
        try root.write("/new.conf", text, mode: 0o600)
        // It is killed when it writes the preferences, the longest of its files.
        let killed = try Command.run([
            "prlimit", "--fsize=900", Installation.built("utunctl"), "--root", root.path, "enroll",
            root.path("/new.conf"), "--name", "office", "--replace",
        ])
        #expect(killed.status == 128 + SIGXFSZ, "\(killed)")
        let run = try export()
        #expect(run.output == Self.office)
        #expect(run.errors.contains("an interrupted enrolment of office was taken back"))
    }

    @Test func aProfileThatEndsIsNoted() throws {
        try site.enroll()
        let path = "/etc/utunctl/profiles/office.json"
        let profile = try #require(root.read(path))
        try root.write(
            path,
            profile.replacing(
                "\"notAfter\": null", with: "\"notAfter\": \"2100-01-01T00:00:00.000000Z\""))
        let run = try export()
        #expect(run.output == Self.office)
        #expect(
            run.errors
                == "utunctl: export office: notAfter of the profile office is left out: "
                + "the file does not end at 2100-01-01T00:00:00.000000Z\n")
        #expect(try export("office", "--strict").status == 7)
    }

    @Test(arguments: [
        ("out.conf", true), ("a-b_c=d+e.f.conf", true), ("x.conf", true),
        ("out", false), (".conf", false), ("my-very-long-name.conf", false),
        ("\u{e9}.conf", false), ("a b.conf", false),
    ])
    func aNameThatWgQuickDoesNotTakeIsNoted(name: String, isTaken: Bool) throws {
        try site.enroll()
        let run = try export("office", "--output", root.path("/\(name)"))
        #expect(run.status == 0, "\(run)")
        #expect(run.errors.contains("wg-quick takes NAME.conf alone") == !isTaken)
    }

    // MARK: The corpus

    /// What is enrolled anew has a new generation, whatever it holds.
    private func stateWithoutGeneration(_ site: EnrolledRoot) -> [String] {
        site.state.map {
            $0.replacing("\"generation\":2", with: "\"generation\":1")
                .replacing("\"generation\": 2", with: "\"generation\": 1")
        }
    }

    @Test(arguments: QuickCorpus.good) func whatIsEnrolledComesBackTheSame(file: QuickCorpus.File)
        throws
    {
        try root.write("/given.conf", String(decoding: file.bytes, as: UTF8.self), mode: 0o600)
        let enroll = ["enroll", "--name", "office", "--replace"]
        #expect(try root.run(enroll + [root.path("/given.conf")]).status == 0)
        let state = stateWithoutGeneration(site)
        let first = try export("office", "--strict", "--output", root.path("/first.conf"))
        #expect(first.status == 0, "\(first)")
        let again = try root.run(enroll + [root.path("/first.conf"), "--strict", "--json"])
        #expect(again.status == 0, "\(again)")
        #expect(stateWithoutGeneration(site) == state)
        #expect(try export().output == root.read("/first.conf"))
        // And the same on a host that knew nothing of it.
        let other = try EnrolledRoot()
        try other.root.write("/first.conf", try #require(root.read("/first.conf")), mode: 0o600)
        let there = try other.root.run(enroll + [other.root.path("/first.conf")])
        #expect(there.status == 0, "\(there)")
        let run = try other.root.run(["export", "office", "--format", "wg-quick"])
        #expect(run.output == root.read("/first.conf"))
    }

    /// What begins like another format is refused as one of that.
    private static let asOtherFormats = [
        "bad-html-login-page": "line 2, column 1: not an element of a property list",
        "bad-json": "interface.privateKey: a key has no place in a configuration",
    ]

    @Test(arguments: QuickCorpus.files.filter(\.isBad))
    func ofABadFileNothingIsEnrolled(file: QuickCorpus.File) throws {
        try AtomicFile.replace(root.path("/given.conf"), with: file.bytes, mode: 0o600)
        let run = try root.run(["enroll", root.path("/given.conf"), "--name", "office"])
        #expect(run.status == 7)
        let expected = try #require(file.expectation).split(separator: "\n").first?.dropFirst(6)
        let error = Self.asOtherFormats[file.name].map { $0[...] } ?? expected ?? "?"
        #expect(run.errors.contains(error), "\(run.errors)")
        #expect(site.state.isEmpty)
    }

    @Test func forwardingIsRefusedWhereTheTunnelHasANamespaceOfItsOwn() throws {
        try site.enroll()
        _ = try root.run(["save", "office", "--set", "interface.networkNamespace=blue"])
        let before = site.state
        let text = EnrolledRoot.file(interface: "PostUp = sysctl -w net.ipv4.ip_forward=1")
        let run = try site.enroll(text, as: "office", "--replace")
        #expect(run.status == 7)
        #expect(run.errors.contains("routing.forward: not with interface.networkNamespace"))
        #expect(site.state == before)
        #expect(try root.run(["load"]).status == 0)
    }
}
