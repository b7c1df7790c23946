import Glibc
import JSON
import LinuxSystem
import TestSupport
import Testing

/// `enroll` with configuration profiles of Apple.
@Suite struct MobileProfileVerbTests {
    private let site: EnrolledRoot
    private var root: TemporaryRoot { site.root }

    init() throws {
        site = try EnrolledRoot()
        try root.installProvider("org.example.anyconnect")
    }

    private func enroll(_ sample: MobileSample, _ options: String...) throws -> Command.Result {
        try enroll(sample.bytes, sample.provider.map { ["--provider", $0] + options } ?? options)
    }

    private func enroll(_ bytes: [UInt8], _ options: [String]) throws -> Command.Result {
        let path = root.path("/vpn.mobileconfig")
        let file = try FileDescriptor.open(path, O_WRONLY | O_CREAT | O_TRUNC, mode: 0o600)
        try file.write(bytes)
        return try root.run(["enroll", path] + options)
    }

    private func sample(_ name: String) throws -> MobileSample {
        try #require((MobileCorpus.good + MobileCorpus.bad).first { $0.name == name })
    }

    @Test(arguments: MobileCorpus.good)
    func whatIPhonesTakeIsTaken(sample: MobileSample) throws {
        let run = try enroll(sample, "--json")
        #expect(run.status == 0, "\(run)")
        // What was written can be read, and saved as it is without a change.
        let configurations = try root.run(["load"]).json?["configurations"]?.array ?? []
        let saved = run.json?["saved"]?.array ?? []
        #expect(configurations.count == saved.count)
        for configuration in configurations {
            let name = try #require(configuration.object?["name"]?.string)
            let again = try root.run(["save", name, "--json"])
            #expect(again.status == 0, "\(again)")
            #expect(again.output.contains("\"changed\":false"))
        }
        // The same file once more is no news.
        let state = site.state
        #expect(try enroll(sample, "--replace").status == 0)
        #expect(site.state.count == state.count)
        #expect(try enroll(sample).status == 7)
    }

    @Test(arguments: MobileCorpus.bad)
    func whatIsRefusedIsRefusedWholeAndWithAReason(sample: MobileSample) throws {
        let run = try enroll(sample)
        #expect(run.status == 7, "\(run)")
        #expect(run.errors.hasPrefix("utunctl: enroll \(root.path)/vpn.mobileconfig: "), "\(run)")
        #expect(run.output.isEmpty)
        #expect(site.state.isEmpty)
        for secret in MobileCorpus.secrets {
            #expect(!run.errors.contains(String(secret.prefix(9))))
        }
    }

    @Test(arguments: MobileCorpus.good, [["--json"], [], ["--dry-run"], ["--strict"]])
    func noSecretComesOutButInItsFile(sample: MobileSample, options: [String]) throws {
        let run = try enroll(
            sample.bytes, (sample.provider.map { ["--provider", $0] } ?? []) + options)
        let pieces = MobileCorpus.secrets.map { String($0.prefix(9)) }
        for piece in pieces {
            #expect(!run.output.contains(piece))
            #expect(!run.errors.contains(piece))
        }
        for path in root.contents
        where !path.hasPrefix("/etc/utunctl/credentials/") && path.hasPrefix("/etc") {
            let content = root.read(path) ?? ""
            #expect(!pieces.contains { content.contains($0) }, "\(path)")
        }
        if options.contains("--dry-run") { #expect(site.state.isEmpty) }
    }

    @Test func aPasswordBecomesACredential() throws {
        let run = try enroll(try sample("a VPN of somebody else"), "--name", "campus")
        #expect(run.status == 0, "\(run)")
        #expect(site.credential("campus.password") == MobileCorpus.password)
        #expect(root.mode("/etc/utunctl/credentials/campus.password") == 0o600)
        let configuration = try #require(try site.configuration("campus"))
        #expect(
            configuration["credentials"]?.object?["password"]?.string == "file:campus.password")
        #expect(configuration["trust"]?.array == [.string("campus/Example-Root-CA")])
    }

    @Test func theReportNamesLineAndPath() throws {
        let run = try enroll(try sample("everything by the tunnel"))
        #expect(run.output.contains("created Demo "), "\(run)")
        #expect(run.output.contains(": PayloadContent[0].VPN.ExcludeAPNs dropped: "))
        #expect(run.output.contains("  line "))
        let json = try enroll(try sample("everything by the tunnel"), "--replace", "--json").json
        let lines = json?["lines"]?.array ?? []
        let dropped = lines.first {
            $0.object?["key"]?.string == "PayloadContent[0].VPN.ExcludeAPNs"
        }
        guard case .integer(let line)? = dropped?.object?["line"] else {
            Issue.record("\(lines)")
            return
        }
        let text = String(decoding: try sample("everything by the tunnel").bytes, as: UTF8.self)
        let all = text.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(all[Int(line) - 1].contains("ExcludeAPNs"))
    }

    @Test func onDemandIsArmedByTheOptionAlone() throws {
        let rules = try sample("rules for networks at home")
        #expect(try enroll(rules).status == 0)
        var saved = try #require(try site.configuration("Demo"))
        #expect(saved["onDemand"]?.object?["enabled"] == .bool(false))
        #expect(saved["onDemand"]?.object?["rules"]?.array?.count == 4)
        #expect(saved["idleTimeout"] == .null)
        #expect(try enroll(rules, "--replace", "--arm").status == 0)
        saved = try #require(try site.configuration("Demo"))
        #expect(saved["onDemand"]?.object?["enabled"] == .bool(true))
        #expect(saved["idleTimeout"] == .integer(900))
        // A newer file disarms what nobody has looked at.
        #expect(try enroll(rules, "--replace").status == 0)
        saved = try #require(try site.configuration("Demo"))
        #expect(saved["onDemand"]?.object?["enabled"] == .bool(false))
    }

    @Test func whatTheFileDoesNotSayStaysWithReplace() throws {
        let manual = try sample("the manual's profile for iOS")
        #expect(try enroll(manual, "--name", "x").status == 0)
        #expect(
            try root.run(["save", "x", "--set", "routing.includeAllNetworks=true"]).status == 0)
        #expect(try enroll(manual, "--name", "x", "--replace").status == 0)
        let saved = try #require(try site.configuration("x"))
        #expect(saved["routing"]?.object?["includeAllNetworks"] == .bool(true))
    }

    @Test func whatStandsAgainstWhatIsLeftAloneIsRefused() throws {
        let manual = try sample("the manual's profile for iOS")
        #expect(try enroll(manual, "--name", "x").status == 0)
        let edit = try root.run(["save", "x", "--set", #"routing.ipv6="leave""#])
        #expect(edit.status == 0, "\(edit)")
        let before = site.state
        let run = try enroll(
            try sample("everything by the tunnel"), "--name", "x", "--replace")
        #expect(run.status == 7, "\(run)")
        #expect(run.errors.contains("routing.ipv6"))
        #expect(site.state == before)
    }

    /// The options, the exit status and what is told.
    @Test(
        arguments: [
            (["--provider", "nonsense"], 7, "--provider: a provider identifier is"),
            (["--name", "a b"], 7, "--name: a name consists of"),
            (["--strict"], 7, "would be dropped"),
        ])
    func wrongOptionsAreRefused(options: [String], status: Int32, text: String) throws {
        let run = try enroll(try sample("a proxy and the primary route").bytes, options)
        #expect(run.status == status, "\(run)")
        #expect(run.errors.contains(text), "\(run)")
        #expect(site.state.isEmpty)
    }

    /// What a vendor's dictionary holds must have come by another door.
    @Test(
        arguments: [
            "<key>Password</key><string>canary-pass-phrase</string>",
            "<key>ServerCertificate</key><data>\(MobileCorpus.firstCertificate)</data>",
            "<key>SkipVerify</key><true/>",
        ])
    func materialInTheVendorsDictionaryIsRefused(keys: String) throws {
        let payload = MobileCorpus.tunnel(subtype: "com.example.vpn").replacing(
            "<key>WgQuickConfig</key><string>\(MobileCorpus.quick())</string>", with: keys)
        let sample = MobileSample(
            "", MobileCorpus.profile(payload), provider: "org.example.anyconnect")
        let run = try enroll(sample)
        #expect(run.status == 7, "\(run)")
        #expect(run.errors.contains("providerConfiguration."), "\(run)")
        #expect(!run.errors.contains("canary"), "\(run)")
        #expect(
            site.state.filter { !$0.hasPrefix("/etc ") && !$0.hasPrefix("/etc/utunctl ") } == [])
    }

    @Test func aProviderIsForConfigurationProfilesAlone() throws {
        let run = try site.enroll(EnrolledRoot.file(), as: "x", "--provider", "org.example.a")
        #expect(run.status == 2, "\(run)")
    }
}
