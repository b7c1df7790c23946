import Glibc
import JSON
import TestSupport
import Testing
import TunnelModel

/// Profiles in JSON: what becomes of them.
@Suite struct ProfileEnrolTests {
    private let site: EnrolledRoot
    private var root: TemporaryRoot { site.root }

    init() throws {
        site = try EnrolledRoot()
        try site.root.installProvider()
    }

    private func items(_ run: Command.Result) -> [String] {
        (run.json?["lines"]?.array ?? []).compactMap(\.object).map { item in
            "\(item["key"]?.string ?? "") \(item["outcome"]?.string ?? "")"
        }
    }

    private func profile(_ name: String = "office") -> JSONObject? {
        root.read("/etc/utunctl/profiles/\(name).json").flatMap { try? Installation.parse($0) }
    }

    @Test func anchorsAndConfigurationsComeTogether() throws {
        let text = ProfileFiles.profile(
            #""title": "The office", "organisation": "Example Ltd""#,
            ProfileFiles.configurations(
                ProfileFiles.tunnel(), ProfileFiles.tunnel("lab"), #"{"name": "test"}"#))
        let run = try site.enrollProfile(text, "--json")
        #expect(run.status == 0, "\(run)")
        #expect(run.json?["profile"]?.string == "office")
        #expect(run.json?["signer"] == .null)
        let saved = run.json?["saved"]?.array?.compactMap { $0.object?["name"]?.string }
        #expect(saved == ["office", "lab", "test"])
        #expect(profile()?["organisation"]?.string == "Example Ltd")
        #expect(profile()?["title"]?.string == "The office")
        #expect(try site.configuration("lab")?["trust"]?.array == [.string("office/gateway")])
        // Nothing is started, and what is saved is what start needs once the secret is there.
        let commands = try root.run(["genkey", "office.key"])
        #expect(commands.status == 0)
        #expect(try root.run(["save", "office", "--json"]).json?["warnings"]?.array == [])
    }

    @Test func eachKeyIsToldByItsPath() throws {
        let text = ProfileFiles.profile(
            #""notAfter": "2090-01-01T00:00:00Z""#,
            ProfileFiles.configurations(
                ProfileFiles.tunnel(
                    "office", #""onDemand": {"enabled": true, "rules": [{"action": "connect"}]}"#,
                    #""identifier": "11111111-1111-4111-8111-111111111111", "generation": 7"#)))
        let run = try site.enrollProfile(text, "--json")
        #expect(
            items(run) == [
                "notAfter kept", "anchors[0] kept", "configurations[0].name kept",
                "configurations[0].provider kept", "configurations[0].trust kept",
                "configurations[0].credentials kept",
                "configurations[0].providerConfiguration kept",
                "configurations[0].onDemand kept", "configurations[0].identifier noted",
                "configurations[0].generation noted",
                "configurations[0].onDemand.enabled changed",
                "configurations[0].credentials.privateKey noted",
            ], "\(run)")
        #expect(run.json?["lines"]?.array?.first?.object?["line"] == .null)
        let saved = try site.configuration("office")
        #expect(saved?["identifier"]?.string != "11111111-1111-4111-8111-111111111111")
        #expect(saved?["generation"] == .integer(1))
    }

    @Test(arguments: [false, true])
    func onDemandIsInForceWhereThatIsAskedForAlone(isArmed: Bool) throws {
        let text = ProfileFiles.profile(
            ProfileFiles.configurations(
                ProfileFiles.tunnel(
                    "office", #""onDemand": {"enabled": true, "rules": [{"action": "connect"}]}"#)))
        let run =
            isArmed ? try site.enrollProfile(text, "--arm") : try site.enrollProfile(text)
        #expect(run.status == 0)
        #expect(run.output.contains("On Demand is disarmed without --arm") == !isArmed)
        let rules = try site.configuration("office")?["onDemand"]?.object
        #expect(rules?["enabled"] == .bool(isArmed))
        #expect(rules?["rules"]?.array?.count == 1)
    }

    @Test func aSecretThatIsToBeGivenIsToldOnceWithTheCommand() throws {
        let text = ProfileFiles.profile(ProfileFiles.configurations(ProfileFiles.tunnel()))
        let run = try site.enrollProfile(text)
        #expect(
            run.output.contains(
                "configurations[0].credentials.privateKey noted: not there yet: "
                    + "utunctl genkey office.key, or utunctl credential set office.key for a key "
                    + "that is there"))
        #expect(!run.errors.contains("credential"), "\(run.errors)")
        let set = try root.run(["credential", "set", "office.key"], input: EnrolledRoot.privateKey)
        #expect(set.status == 0)
        #expect(try !site.enrollProfile(text, "--replace").output.contains("not there yet"))
    }

    @Test func anotherNameGoesBeforeThatOfTheFile() throws {
        let text = ProfileFiles.profile(ProfileFiles.configurations(ProfileFiles.tunnel()))
        let run = try site.enrollProfile(text, "--name", "work")
        #expect(run.status == 0, "\(run)")
        #expect(run.output.contains("identifier changed: the profile is enrolled as work"))
        #expect(profile() == nil && profile("work") != nil)
        let configuration = try site.configuration("office")
        #expect(configuration?["trust"]?.array == [.string("work/gateway")])
        let peer = configuration?["providerConfiguration"]?.object?["peers"]?.array?.first?.object
        #expect(peer?["trust"]?.string == "work/gateway")
    }

    /// A profile, and what is said of it.
    @Test(
        arguments: [
            ("{", "line 1, column 1"),
            ("{}", "formatVersion: missing"),
            (#"{"formatVersion": 2}"#, "formatVersion 2 was written by a newer utunctl"),
            (ProfileFiles.profile(#""anchor": []"#), "unknown key anchor"),
            (ProfileFiles.profile(#""anchor": []"#), "did you mean anchors?"),
            (
                ProfileFiles.profile(
                    #""notBefore": "2027-01-01T00:00:00Z", "notAfter": "2026-01-01T00:00:00Z""#),
                "notAfter: before notBefore"
            ),
            (
                ProfileFiles.profile(ProfileFiles.configurations(#"{"name": "a", "x": 1}"#)),
                "configurations[0]: unknown key x"
            ),
            (
                ProfileFiles.profile(
                    ProfileFiles.configurations(#"{"name": "a"}"#, #"{"name": "a"}"#)),
                "configurations[1].name: a is taken twice"
            ),
            (
                ProfileFiles.profile(
                    ProfileFiles.configurations(
                        #"{"name": "11111111-1111-4111-8111-111111111111"}"#)),
                "configurations[0].name: a name of this form is an identifier"
            ),
            (
                ProfileFiles.profile(
                    ProfileFiles.configurations(
                        #"{"name": "a"}"#, ProfileFiles.tunnel("b", trust: "office/gatewy"))),
                "configurations[1].trust[0]: the profile has no anchor gatewy"
            ),
            (
                ProfileFiles.profile(
                    ProfileFiles.configurations(
                        #"{"name": "a", "providerConfiguration": {"mtu": "x"}}"#)),
                "configurations[0].providerConfiguration.mtu: not an integer"
            ),
            (
                ProfileFiles.profile(anchors: [ProfileFiles.certificate("ca", "nonsense")]),
                "anchors[0].pem: not a certificate in PEM form"
            ),
            (
                ProfileFiles.profile(anchors: [
                    ProfileFiles.certificate(
                        "ca", "-----BEGIN CERTIFICATE-----\nMAIwAA==\n-----END CERTIFICATE-----\n")
                ]), "the anchor office/ca: not a certificate that openssl can read"
            ),
        ] as [(String, String)])
    func aProfileThatIsNoneIsRefusedWithItsPlace(text: String, told: String) throws {
        let run = try site.enrollProfile(text, "--json")
        #expect(run.status == 7, "\(run)")
        #expect(EnrolledRoot.code(run) == "fileInvalid")
        #expect(run.errors.contains(told), "\(run.errors)")
        #expect(site.state.isEmpty)
    }

    @Test(arguments: [
        #"{"formatVersion": 1, "identifier": "office", "SECRET": 1}"#,
        #"{"formatVersion": 1, "identifier": "office", "PrivateKey=SECRET": 1}"#,
        #"{"formatVersion": 1, "identifier": "SECRET"}"#,
        #"{"formatVersion": 1, "identifier": "office", "notAfter": "SECRET"}"#,
        #"{"formatVersion": 1, "identifier": "office", "anchors": [{"name": "a", "kind": "SECRET"}]}"#,
        #"{"formatVersion": 1, "identifier": "office", "configurations": [{"name": "x", "provider": "org.utunctl.wireguard", "providerConfiguration": {"addresses": ["SECRET"]}}]}"#,
        #"{"formatVersion": 1, "identifier": "office", "configurations": [{"name": "x", "provider": "a.b", "dns": {"servers": ["SECRET"]}}]}"#,
        #"{"formatVersion": 1, SECRET}"#, #"{"formatVersion": 1, "a": "b" "SECRET"}"#,
    ])
    func noErrorRepeatsWhatMayBeASecret(text: String) throws {
        for secret in [EnrolledRoot.privateKey, "correct horse, battery"] {
            let run = try site.enrollProfile(text.replacing("SECRET", with: secret), "--json")
            #expect(run.status == 7, "\(run)")
            for word in [secret, "horse", String(secret.dropLast(1))] {
                #expect(!(run.output + run.errors).contains(word), "\(run)")
            }
        }
    }

    @Test func aKeyBehindACertificateIsNotStoredForEverybody() throws {
        let authority = try CertificateAuthority()
        try authority.issue("ca", isAuthority: true)
        func body(_ pem: String) throws -> [UInt8] {
            let lines = pem.split(separator: "\n").filter { !$0.hasPrefix("-") }.joined()
            return try #require(Base64.decode(Array(lines.utf8)))
        }
        let both = try body(authority.pem("ca")) + body(authority.key("ca"))
        let pem =
            "-----BEGIN CERTIFICATE-----\n\(Base64.encode(both))\n-----END CERTIFICATE-----\n"
        let run = try site.enrollProfile(
            ProfileFiles.profile(anchors: [ProfileFiles.certificate("ca", pem)]), "--json")
        #expect(run.status == 7 && run.errors.contains("something behind it"), "\(run)")
        #expect(site.state.isEmpty)
    }

    /// A profile that knows the names of secrets of others.
    @Test(arguments: [
        ("file:bank.privateKey", "the secret is that of the configuration bank"),
        ("file:left.privateKey", "the secret came with the profile left"),
        ("file:/etc/shadow", "a path outside the credentials directory"),
    ])
    func aProfileDoesNotLayHandsOnTheSecretsOfOthers(reference: String, told: String) throws {
        try site.enroll(EnrolledRoot.file(), as: "bank")
        try site.enroll(EnrolledRoot.file(), as: "left")
        #expect(try root.run(["remove", "left"]).status == 0)
        let before = site.state
        let text = ProfileFiles.profile(ProfileFiles.configurations(ProfileFiles.tunnel()))
            .replacing("file:office.key", with: reference)
        for options in [["--json"], ["--json", "--dry-run"], ["--json", "--replace"]] {
            let run = try root.run(["enroll", try written(text)] + options)
            #expect(run.status == 7 && EnrolledRoot.code(run) == "credentialForeign", "\(run)")
            #expect(run.errors.contains("credentials.privateKey: \(told)"), "\(run)")
        }
        #expect(site.state == before)
        // What an administrator gave it stays.
        #expect(
            try site.enrollProfile(
                ProfileFiles.profile(ProfileFiles.configurations(ProfileFiles.tunnel()))
            ).status
                == 0)
        let set = try root.run([
            "save", "office", "--set", "credentials.privateKey=\(reference)",
        ])
        #expect(set.status == 0, "\(set)")
        #expect(try root.run(["enroll", try written(text), "--replace"]).status == 0)
    }

    private func written(_ text: String) throws -> String {
        try root.write("/profile.json", text)
        return root.path("/profile.json")
    }

    /// What is too much is refused before the lock is taken, and before hours of work.
    @Test func moreThanAnyFileHasIsRefused() throws {
        let tunnels = (0...EnrolledMaterial.mostTunnels).map {
            #"{"name": "c\#($0)", "provider": "a.b"}"#
        }
        let many = try site.enrollProfile(
            #"{"formatVersion": 1, "identifier": "o", "configurations": [\#(tunnels.joined(separator: ","))]}"#,
            "--json")
        #expect(many.status == 7 && many.errors.contains("configurations: more than"), "\(many)")
        let peers = (0...EnrolledMaterial.mostPeers).map { _ in "{}" }.joined(separator: ",")
        let crowd = try site.enrollProfile(
            #"{"formatVersion": 1, "identifier": "o", "configurations": [{"name": "c", "provider": "a.b", "providerConfiguration": {"peers": [\#(peers)]}}]}"#,
            "--json")
        #expect(crowd.status == 7 && crowd.errors.contains("peers: more than"), "\(crowd.errors)")
        let pem = #""-----BEGIN CERTIFICATE-----\nMAIwAA==\n-----END CERTIFICATE-----\n""#
        let anchors = (0...EnrolledMaterial.mostCertificates).map {
            #"{"name": "a\#($0)", "kind": "x509", "pem": \#(pem)}"#
        }
        let bundle = try site.enrollProfile(ProfileFiles.profile(anchors: anchors), "--json")
        #expect(bundle.status == 7 && bundle.errors.contains("more than 256 certificates"))
        #expect(site.state.isEmpty)
    }

    @Test func whatCouldNotBeReadAgainIsNotWritten() throws {
        // It fits as it is given, and not with what stands around it once it is written.
        let text = ProfileFiles.profile(
            #""title": "\#(String(repeating: "x", count: (16 << 20) - 300))""#
        )
        let run = try site.enrollProfile(text, "--json")
        #expect(run.status == 7 && EnrolledRoot.code(run) == "fileInvalid", "\(run.errors)")
        #expect(!site.state.contains { $0.contains(".json") })
    }

    @Test func onlyAnchorsThatWillBeThereMayBeNamed() throws {
        for trust in ["home/peer1", "offic/gateway"] {
            let run = try site.enrollProfile(
                ProfileFiles.profile(
                    ProfileFiles.configurations(ProfileFiles.tunnel("x", trust: trust))), "--json")
            #expect(run.status == 7)
            #expect(EnrolledRoot.code(run) == "trustAnchorMissing")
            #expect(run.errors.contains("the configuration x: \(trust): no profile"))
            #expect(!site.state.contains { $0.contains(".json") })
        }
        try site.enroll(EnrolledRoot.file(), as: "home")
        let run = try site.enrollProfile(
            ProfileFiles.profile(
                ProfileFiles.configurations(
                    ProfileFiles.tunnel("x", trust: "home/peer1"),
                    #"{"name": "y", "provider": "org.example.tls", "trust": ["system"]}"#)))
        #expect(run.status == 0, "\(run)")
    }

    @Test func keyMaterialInAConfigurationIsRefusedAsBySave() throws {
        for (member, code) in [
            (#""privateKey": "\#(EnrolledRoot.privateKey)""#, "keyInConfiguration"),
            (#""skipVerify": true"#, "verificationSwitchedOff"),
        ] {
            let text = ProfileFiles.profile(
                ProfileFiles.configurations(
                    ProfileFiles.tunnel(),
                    #"{"name": "y", "provider": "org.example.x", "providerConfiguration": {\#(member)}}"#
                ))
            let run = try site.enrollProfile(text, "--json")
            #expect(run.status == 7 && EnrolledRoot.code(run) == code, "\(run)")
            #expect(!run.output.contains(EnrolledRoot.privateKey))
            #expect(!run.errors.contains(EnrolledRoot.privateKey))
            #expect(!site.state.contains { $0.contains(".json") })
        }
    }

    @Test func whatCannotComeWithAProfileIsDropped() throws {
        let text = ProfileFiles.profile(
            #""credentials": ["office.key"]"#,
            #""signer": {"subject": "CN=me", "sha256": "\#(String(repeating: "a", count: 64))", "notBefore": "2026-01-01T00:00:00Z", "notAfter": "2027-01-01T00:00:00Z"}"#
        )
        let strict = try site.enrollProfile(text, "--strict", "--json")
        #expect(EnrolledRoot.code(strict) == "lineDropped")
        #expect(site.state.isEmpty)
        let run = try site.enrollProfile(text, "--json")
        #expect(items(run) == ["anchors[0] kept", "credentials dropped", "signer dropped"])
        #expect(profile()?["signer"] == .null)
        #expect(profile()?["credentials"]?.array == [])
        // A copy of what was enrolled can be enrolled elsewhere.
        let copy = try #require(root.read("/etc/utunctl/profiles/office.json"))
        #expect(try EnrolledRoot().enrollProfile(copy, "--strict").status == 0)
    }

    @Test func aTakenNameRefusesAllOfIt() throws {
        _ = try root.run(["save", "lab"])
        let before = site.state
        let text = ProfileFiles.profile(
            ProfileFiles.configurations(ProfileFiles.tunnel(), ProfileFiles.tunnel("lab")))
        let run = try site.enrollProfile(text, "--json")
        #expect(run.status == 7 && EnrolledRoot.code(run) == "nameTaken")
        #expect(run.errors.contains("there is a configuration lab already"))
        #expect(site.state == before)
        let identifier = try site.configuration("lab")?["identifier"]
        #expect(try site.enrollProfile(text, "--replace").status == 0)
        #expect(try site.configuration("lab")?["identifier"] == identifier)
        #expect(try site.configuration("lab")?["trust"]?.array?.count == 1)
    }

    @Test func configurationsThatLoseTheirAnchorAreToldOf() throws {
        let old = ProfileFiles.gateway.replacing("gateway", with: "old")
        try site.enrollProfile(ProfileFiles.profile(anchors: [old]))
        let saved = try root.run([
            "save", "other", "--set", "trust=[\"office/old\"]", "--provider",
            "org.utunctl.wireguard", "--set",
            #"providerConfiguration={"addresses":["10.1.2.3/24"],"peers":[{"trust":"office/old"}]}"#,
        ])
        #expect(saved.status == 0, "\(saved)")
        let run = try site.enrollProfile(ProfileFiles.profile(), "--replace", "--json")
        #expect(run.status == 0)
        let warnings = run.json?["warnings"]?.array?.compactMap { $0.object?["text"]?.string }
        #expect(
            warnings?.contains("the profile has no anchor old any more: start will refuse") == true,
            "\(run)")
        #expect(run.errors.contains("enroll other: trust[0]: "))
    }

    @Test func certificatesAreDescribedAndTheirTimesTold() throws {
        let authority = try CertificateAuthority()
        try authority.issue("good", isAuthority: true)
        try authority.issue("old", isAuthority: true, .past)
        try authority.issue("coming", isAuthority: true, .future)
        let text = ProfileFiles.profile(
            anchors: ["good", "old", "coming"].map {
                ProfileFiles.certificate($0, authority.pem($0))
            }, #""notAfter": "2020-01-01T00:00:00Z""#)
        let run = try site.enrollProfile(text, "--json")
        #expect(run.status == 0, "\(run)")
        let codes = run.json?["warnings"]?.array?.compactMap { $0.object?["code"]?.string }
        #expect(codes == ["trustExpired", "trustExpired", "trustNotYetValid"])
        #expect(run.errors.contains("enroll office: anchors[1]: office/old ended at 20"))
        let certificate = profile()?["anchors"]?.array?.first?.object?["certificate"]?.object
        #expect(certificate?["subject"]?.string == "CN=good,O=Example Ltd")
        #expect(certificate?["sha256"]?.string == (try authority.digits("good")))
        let list = try root.run(["profiles"])
        #expect(list.output.contains("the profile ended at 2020-01-01"), "\(list)")
        #expect(list.output.contains("office/coming is not valid before 2040-01-01"), "\(list)")
    }

    @Test func aPrivateKeyBesideACertificateIsNoAnchor() throws {
        let authority = try CertificateAuthority()
        try authority.issue("good", isAuthority: true)
        for pem in [
            authority.pem("good") + authority.pem("good"),
            authority.pem("good")
                + "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n",
            "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n"
                + authority.pem("good"),
        ] {
            let text = ProfileFiles.profile(anchors: [ProfileFiles.certificate("ca", pem)])
            let run = try site.enrollProfile(text, "--json")
            #expect(EnrolledRoot.code(run) == "fileInvalid", "\(run)")
            #expect(run.errors.contains("anchors[0].pem: "))
        }
        #expect(site.state.isEmpty)
    }

    @Test func aDryRunOfAProfileWritesNothing() throws {
        let text = ProfileFiles.profile(
            ProfileFiles.configurations(ProfileFiles.tunnel(), ProfileFiles.tunnel("lab")))
        let run = try site.enrollProfile(text, "--dry-run")
        #expect(run.status == 0)
        #expect(
            run.output.hasPrefix(
                "would create office\nwould create lab\nwould enrol the profile office, not signed"
            ), "\(run)")
        #expect(site.state.isEmpty)
    }
}
