import Glibc
import JSON
import LinuxSystem
import TestSupport
import Testing

@Suite struct SaveVerbTests {
    private let root: TemporaryRoot
    private let preferences = "/etc/utunctl/preferences.json"

    init() throws {
        root = try TemporaryRoot()
        try root.installProvider()
    }

    private func run(_ arguments: String..., input: String? = nil) throws -> Command.Result {
        try root.run(arguments, input: input)
    }

    private func identifier(of name: String) throws -> String {
        let loaded = try run("load", name).json?["configurations"]?.array?.first?.object
        return try #require(loaded?["identifier"]?.string)
    }

    @Test func createsChangesAndLeaves() throws {
        let created = try run("save", "office")
        let identifier = try identifier(of: "office")
        #expect(created.status == 0)
        #expect(created.output == "created office \(identifier) generation 1\n")
        #expect(created.errors == "")
        let changed = try run("save", "office", "--title", "\"T\"", "--server", "h.example:1")
        #expect(changed.output == "saved office \(identifier) generation 2\n")
        let unchanged = try run("save", identifier, "--title", "\"T\"")
        #expect(unchanged.output == "unchanged office \(identifier) generation 2\n")
        let loaded = try run("load", "office").json?["configurations"]?.array?.first?.object
        #expect(loaded?["title"]?.string == "\"T\"")
        #expect(loaded?["serverAddress"]?.string == "h.example:1")
    }

    @Test func theAnswerAsJSON() throws {
        let saved = try run(
            "save", "office", "--json", "--set", "routing.excludedRoutes=[\"10.1.0.0/8\"]")
        let identifier = try identifier(of: "office")
        #expect(
            saved.output == """
                {"formatVersion":1,"saved":[{"name":"office","identifier":"\(identifier)",\
                "generation":1,"changed":true}],"warnings":[{"name":"office","code":"hostBitsMasked",\
                "path":"routing.excludedRoutes[0]","text":"10.1.0.0/8 has host bits, taken as \
                10.0.0.0/8"}]}

                """)
        let renamed = try run("save", "office", "--set", "name=home")
        #expect(renamed.output == "saved home \(identifier) generation 2\n")
    }

    /// A setting, and the code and the path of the warning.
    @Test(arguments: [
        (#"dns.searchDomains=["example.org"]"#, "dnsUnavailable", "dns.searchDomains"),
        ("dns.tls=true", "dnsUnavailable", "dns.tls"),
        (
            "interface.networkNamespace=no-such", "networkNamespaceMissing",
            "interface.networkNamespace"
        ),
        ("serverAddress=vpn.example:1", "resolverUnusable", "serverAddress"),
    ])
    func warnsOfWhatStartWouldRefuse(setting: String, code: String, path: String) throws {
        let saved = try run("save", "office", "--set", setting, "--json")
        #expect(saved.status == 0)
        let warning = saved.json?["warnings"]?.array?.first?.object
        #expect(warning?["code"] == .string(code), "\(saved)")
        #expect(warning?["path"] == .string(path), "\(saved)")
        // With what is to be done about it.
        #expect(saved.errors.contains("; "), "\(saved)")
    }

    @Test(arguments: [
        (["routing.includeAllNetworks=true"], true),
        (["routing.enforceRoutes=true", #"routing.includedRoutes=["0.0.0.0/0"]"#], true),
        (["routing.enforceRoutes=true", #"routing.includedRoutes=["10.0.0.0/8"]"#], false),
        (["routing.includeAllNetworks=true", "routing.excludeLocalNetworks=true"], false),
        ([], false),
    ])
    func warnsOfAnswersThatGoBackIntoTheTunnel(settings: [String], isWarned: Bool) throws {
        let edits = (settings + ["routing.forward=true"]).flatMap { ["--set", $0] }
        let saved = try root.run(["save", "office", "--json"] + edits)
        #expect(saved.status == 0, "\(saved)")
        #expect(saved.output.contains("answersGoBack") == isWarned, "\(saved)")
    }

    @Test func optionsApplyInTheirOrder() throws {
        _ = try run(
            "save", "a", "--set", "interface.mtu=1400", "--unset", "interface", "--set",
            "interface.name=x%d", "--unset", "title")
        let interface = try run("load", "a").json?["configurations"]?.array?.first?.object?[
            "interface"]
        #expect(interface?.object?["mtu"] == .null)
        #expect(interface?.object?["name"]?.string == "x%d")
    }

    /// The arguments, the exit status, the code, and what the first line says.
    @Test(
        arguments: [
            (["save"], 2, "usage", "save: no configuration named"),
            (["save", "a", "b"], 2, "usage", "unexpected operand b"),
            (["save", "a", "--from", "x"], 2, "usage", "--from and a given"),
            (["save", "--from", "x", "--title", "t"], 2, "usage", "--from and --title given"),
            (["save", "a", "--set", "title"], 2, "usage", "--set title: no value"),
            (["save", "a", "--set", "=x"], 2, "usage", "--set: no path"),
            (["save", "a", "--if-generation", "x"], 2, "usage", "x is not an unsigned integer"),
            (["save", "a", "--set", "mtu=1"], 7, "documentInvalid", "unknown key mtu"),
            (["save", "a", "--unset", "identifier"], 7, "documentInvalid", "cannot be unset"),
            (["save", "all"], 7, "documentInvalid", "the name all is reserved"),
            (["save", "-n"], 2, "usage", "unknown option -n"),
            (
                ["save", String(repeating: "x", count: 65)], 7, "documentInvalid",
                "the name is too long: 65 bytes, at most 64"
            ),
            (
                ["save", "a", "--set", "interface.name=abcdefghijklmnop"], 7, "documentInvalid",
                "interface.name: an interface name has at most 15 bytes, this one has 16"
            ),
            (
                ["save", "a", "--set", "providerConfiguration.hangOnStrat=true"], 7,
                "documentInvalid",
                "providerConfiguration: unknown key hangOnStrat"
            ),
            (
                ["save", "11111111-1111-4111-8111-111111111111"], 7, "documentInvalid",
                "no configuration has this identifier"
            ),
            (["save", "a", "--if-generation", "1"], 8, "stale", "saved is generation 0"),
            (["save", "--from", "/nonexistent"], 1, "systemError", "open /nonexistent"),
            (["save", "--from", "/proc/self/mem"], 1, "systemError", "read"),
        ] as [([String], Int32, String, String)])
    func refusals(arguments: [String], status: Int32, code: String, text: String) throws {
        let run = try root.run(arguments + ["--json"])
        #expect(run.status == status)
        let error = run.json?["error"]?.object
        #expect(error?["code"]?.string == code)
        #expect(error?["exitStatus"] == .integer(Int64(status)))
        #expect(run.errors.contains(text), "\(run.errors)")
        #expect(root.read(preferences) == nil)
    }

    @Test func hintsNameAllKeysWhereTheyAreFew() throws {
        let fail = #"providerConfiguration.fail={"code":"idle","delay":1}"#
        #expect(try run("save", "a", "--set", fail).errors.contains("known here: code, after"))
    }

    @Test func hintsNameWhatStandsBesideAnUnknownKey() throws {
        for key in ["routing.bogus", "providerConfiguration.bogus"] {
            let errors = try run("save", "a", "--set", "\(key)=1").errors
            #expect(errors.contains("known here: "), "\(errors)")
            #expect(!errors.contains("did you mean"), "\(errors)")
        }
        #expect(
            try run("save", "a", "--set", "routing.bogus=1").errors
                .contains(" routing.includedRoutes, routing.excludedRoutes,"))
        #expect(
            try run("save", "a", "--set", "routing.ipv=1").errors
                .contains("did you mean routing.ipv6?"))
        let top = try run("save", "a", "--set", "bogus=1").errors
        #expect(top.contains("known here: ") && !top.contains("."), "\(top)")
    }

    @Test func hintsNameTheNearest() throws {
        #expect(
            try run("save", "a", "--set", "mtu=1").errors.contains("did you mean interface.mtu?"))
        #expect(
            try run("save", "a", "--set", "providerConfiguration.hangOnStrat=1").errors
                .contains("did you mean hangOnStart?"))
        _ = try run("save", "office")
        #expect(try run("save", "ofice").errors.contains("this is a new one, beside office"))
    }

    @Test func aDryRunWritesNothing() throws {
        let bare = try TemporaryRoot()
        let created = try bare.run(["save", "office", "--dry-run", "--json"])
        #expect(created.status == 0)
        #expect(bare.contents == [])
        #expect(
            created.output.hasPrefix(
                """
                {"formatVersion":1,"dryRun":true,"saved":[{"name":"office","identifier":null,\
                "generation":1,"changed":true}],"changes":[{"name":"office","identifier":null,\
                "change":"created","paths":[]}],"warnings":[{"name":"office",\
                "code":"providerNotInstalled","path":"provider"
                """), "\(created.output)")

        _ = try run("save", "office", "--title", "old")
        let before = root.read(preferences)
        let contents = root.contents
        let changed = try run(
            "save", "office", "--dry-run", "--title", "new", "--set", "trust=[\"a\"]")
        #expect(
            changed.output == """
                would change office:
                  title: "old" → "new"
                  trust[0]: (none) → "a"

                """)
        #expect(try run("save", "office", "--dry-run").output == "would leave office as it is\n")
        #expect(try run("save", "b", "--dry-run").output == "would create b\n")
        #expect(try run("save", "office", "--dry-run", "--if-generation", "9").status == 8)
        #expect(root.read(preferences) == before)
        #expect(root.contents == contents)
    }

    @Test func staleWritesNothing() throws {
        _ = try run("save", "office")
        let document = try run("load").output
        #expect(try run("save", "office", "--if-generation", "1", "--title", "x").status == 0)
        let before = root.read(preferences)
        for attempt in [
            try run("save", "office", "--if-generation", "1", "--title", "y"),
            try run("save", "office", "--if-generation", "0", "--title", "y"),
            try run(
                "save", "--from", "-",
                input: document.replacing("\"title\": \"\"", "\"title\": \"z\"")),
            try run("save", "--from", "-", "--if-generation", "1", input: document),
        ] {
            #expect(attempt.status == 8)
            #expect(attempt.errors.contains("generation"))
            #expect(root.read(preferences) == before)
        }
    }

    @Test func warnsOfWhatIsMissing() throws {
        try root.installProvider(
            "org.example.thing", keys: ", \"credentials\": [\"key\", \"other\"]")
        try root.write("/etc/utunctl/credentials/lax", "secret", mode: 0o644)
        let run = try root.run(
            [
                "save", "a", "--provider", "org.example.thing", "--set", "credentials.key=file:lax",
                "--set", "credentials.gone=file:gone", "--set", "credentials.s=credential:unit",
                "--json",
            ])
        #expect(run.status == 0)
        let warnings = run.json?["warnings"]?.array?.compactMap(\.object) ?? []
        #expect(
            warnings.map { "\($0["code"]?.string ?? "") \($0["path"]?.string ?? "")" } == [
                "credentialMissing credentials.other", "credentialUnusable credentials.gone",
                "credentialUnusable credentials.key",
            ])
        #expect(run.errors.contains("mode 0644 lets others read or write it"))
        #expect(run.errors.contains("utunctl save a --set credentials.other=file:PATH"))
        #expect(!run.output.contains("secret"))
        let near = try self.run("save", "b", "--provider", "org.example.thong")
        #expect(near.errors.contains("did you mean org.example.thing?"))
        #expect(near.errors.contains("installed: org.example.thing, org.utunctl.loopback"))
    }

    @Test func quietSaysNothing() throws {
        let run = try run("save", "a", "--quiet", "--provider", "org.example.none")
        #expect(run.status == 0)
        #expect(run.output == "")
        #expect(run.errors == "")
    }

    @Test func modesAreForTheOwner() throws {
        _ = try run("save", "office")
        let expected: UInt32 = Account.group(named: "utunctl") == nil ? 0o600 : 0o640
        #expect(root.mode(preferences) == expected)
        #expect(root.mode("/etc/utunctl") == 0o755)
    }

    @Test func aSymbolicLinkStaysOne() throws {
        try root.makeDirectory("/etc/utunctl")
        try root.makeDirectory("/elsewhere")
        symlink("../../elsewhere/real.json", root.path(preferences))
        let dangling = try run("save", "office")
        #expect(dangling.status == 1)
        #expect(dangling.errors.contains("the saved preferences stand as they were"))
        try root.write("/elsewhere/real.json", #"{"formatVersion": 1}"#, mode: 0o600)
        _ = try run("save", "office")
        #expect(Directory.linkTarget(root.path(preferences)) == "../../elsewhere/real.json")
        #expect(root.read("/elsewhere/real.json")?.contains("office") == true)
    }
}

extension String {
    /// The text with the first occurrence of a word replaced.
    func replacing(_ word: String, _ other: String) -> String {
        var start = startIndex
        while start != endIndex {
            if self[start...].hasPrefix(word) {
                return self[..<start] + other + self[index(start, offsetBy: word.count)...]
            }
            start = index(after: start)
        }
        return self
    }
}
