import Glibc
import JSON
import LinuxSystem
import TestSupport
import Testing

/// Whose signature a file carries, and who vouches for the signer.
@Suite struct SignatureTests {
    private let site: EnrolledRoot
    private let authority: CertificateAuthority
    private var root: TemporaryRoot { site.root }
    private let profile = ProfileFiles.profile(ProfileFiles.configurations(ProfileFiles.tunnel()))

    init() throws {
        site = try EnrolledRoot()
        authority = try CertificateAuthority()
        try authority.issue("root", isAuthority: true)
        try authority.issue("signer", by: "root")
    }

    private func enroll(_ path: String, _ options: String...) throws -> Command.Result {
        try root.run(["enroll", path, "--json"] + options)
    }

    private func refused(
        _ run: Command.Result,
        _ code: String,
        _ told: String = "",
        at location: SourceLocation = #_sourceLocation
    ) {
        #expect(run.status == 7, "\(run)", sourceLocation: location)
        #expect(EnrolledRoot.code(run) == code, "\(run)", sourceLocation: location)
        #expect(run.errors.contains(told), "\(run.errors)", sourceLocation: location)
    }

    private var recorded: JSONObject? {
        root.read("/etc/utunctl/profiles/office.json").flatMap { try? Installation.parse($0) }?[
            "signer"]?.object
    }

    // MARK: Who vouches

    @Test func oneThatIsNotSignedIsTakenAndCalledSo() throws {
        let run = try site.enrollProfile(profile)
        #expect(run.status == 0, "\(run)")
        #expect(run.output.contains("enrolled the profile office, not signed: you vouch for it"))
        #expect(recorded == nil)
        // Where a signer is asked for it is not.
        for option in [
            ["--signer-ca", authority.certificate("root")],
            ["--accept-signer", try authority.fingerprint("signer")],
        ] {
            let run = try root.run(
                ["enroll", root.path("/profile.json"), "--replace", "--json"] + option)
            refused(run, "fileUnsigned")
        }
    }

    @Test(arguments: [CertificateAuthority.Key.ecdsa, .rsa], ["DER", "PEM"])
    func aSignerWhomNobodyKnowsIsShown(key: CertificateAuthority.Key, encoding: String) throws {
        try authority.issue("other", by: "root", .now, key)
        let path = try authority.sign(profile, by: ["other"], encoding: encoding)
        let digits = try authority.digits("other")
        let run = try enroll(path)
        refused(run, "signerUnknown", "signed by CN=other,O=Example Ltd (SHA-256 \(digits))")
        #expect(run.errors.contains("--accept-signer FINGERPRINT; or --signer-ca FILE"))
        #expect(site.state.isEmpty)
        // With colons or without, in any case.
        let fingerprint = try authority.fingerprint("other")
        for form in [fingerprint, digits, fingerprint.lowercased(), digits.uppercased()] {
            #expect(try enroll(path, "--accept-signer", form, "--replace").status == 0)
        }
        #expect(recorded?["sha256"]?.string == digits)
        #expect(recorded?["subject"]?.string == "CN=other,O=Example Ltd")
    }

    @Test func theFingerprintOfSomebodyElseIsNone() throws {
        let path = try authority.sign(profile, by: ["signer"])
        let other = try authority.fingerprint("root")
        refused(try enroll(path, "--accept-signer", other), "signerUnknown")
        let wrong = try enroll(path, "--accept-signer", "12:34")
        #expect(wrong.status == 2)
        #expect(wrong.errors.contains("--accept-signer 12:34: not a SHA-256 fingerprint"))
        #expect(site.state.isEmpty)
    }

    @Test func aChainToTheNamedAuthorityVouches() throws {
        try authority.issue("issuer", by: "root", isAuthority: true)
        try authority.issue("deep", by: "issuer")
        let path = try authority.sign(profile, by: ["deep"], with: ["issuer"])
        let run = try enroll(path, "--signer-ca", authority.certificate("root"))
        #expect(run.status == 0, "\(run)")
        #expect(recorded?["sha256"]?.string == (try authority.digits("deep")))
        // Without what lies between there is no chain, unless just that is named.
        let short = try authority.sign(profile, by: ["deep"])
        try authority.issue("elsewhere", isAuthority: true)
        let second = try EnrolledRoot()
        for (file, ca) in [(short, "root"), (path, "elsewhere"), (path, "signer")] {
            let run = try second.root.run(
                ["enroll", file, "--json", "--signer-ca", authority.certificate(ca)])
            refused(run, "signerUnknown", "the CA does not vouch: unable to get")
        }
        #expect(second.state.isEmpty)
        let named = try second.root.run(
            ["enroll", short, "--signer-ca", authority.certificate("issuer")])
        #expect(named.status == 0, "\(named)")
    }

    @Test(
        arguments: [
            ("digitalSignature", "serverAuth", "(extendedKeyUsage: TLS Web Server Authentication)"),
            ("digitalSignature", "clientAuth", "(extendedKeyUsage: TLS Web Client Authentication)"),
            ("keyEncipherment", nil, "its key is not for signatures (keyUsage)"),
            ("digitalSignature", "clientAuth,codeSigning", nil),
            ("nonRepudiation", nil, nil),
        ] as [(String, String?, String?)])
    func anAuthorityVouchesForThoseWhoMaySignAlone(usage: String, extended: String?, told: String?)
        throws
    {
        try authority.issue("purpose", by: "root", usage: usage, extendedUsage: extended)
        let path = try authority.sign(profile, by: ["purpose"])
        let run = try enroll(path, "--signer-ca", authority.certificate("root"))
        guard let told else {
            #expect(run.status == 0, "\(run)")
            return
        }
        refused(run, "signerUnknown", told)
        // Whoever names the very certificate has made up their mind.
        #expect(try enroll(path, "--accept-signer", authority.digits("purpose")).status == 0)
    }

    @Test(arguments: [(CertificateAuthority.Time.past, "ended at 20"), (.future, "before 2040-01")])
    func aSignerOutOfItsTimeIsRefused(time: CertificateAuthority.Time, told: String) throws {
        try authority.issue("late", by: "root", time)
        let path = try authority.sign(profile, by: ["late"])
        for option in [
            ["--signer-ca", authority.certificate("root")],
            ["--accept-signer", try authority.fingerprint("late")], [],
        ] {
            let run = try root.run(["enroll", path, "--json"] + option)
            refused(run, "signerExpired", told)
            #expect(run.errors.contains("the clock here says "))
        }
        #expect(site.state.isEmpty)
    }

    @Test func anAuthorityOutOfItsTimeDoesNotVouch() throws {
        try authority.issue("old", isAuthority: true, .past)
        try authority.issue("young", by: "old")
        let path = try authority.sign(profile, by: ["young"])
        let run = try enroll(path, "--signer-ca", authority.certificate("old"))
        refused(run, "signerUnknown", "certificate has expired")
        try root.write("/none.pem", "nothing")
        let none = try enroll(path, "--signer-ca", root.path("/none.pem"))
        refused(none, "fileInvalid", "--signer-ca: no certificate in PEM or DER form")
        try root.write("/none.der", "0nothing")
        let other = try enroll(path, "--signer-ca", root.path("/none.der"))
        refused(other, "fileInvalid", "--signer-ca: no certificate in PEM or DER form")
        #expect(try enroll(path, "--signer-ca", "/nonexistent").status == 1)
    }

    @Test func anAuthorityInBinaryFormVouchesAsInText() throws {
        let path = try authority.sign(profile, by: ["signer"])
        let binary = root.path("/root.der")
        let conversion = try Command.run([
            "openssl", "x509", "-in", authority.certificate("root"), "-outform", "DER", "-out",
            binary,
        ])
        #expect(conversion.status == 0, "\(conversion)")
        let run = try enroll(path, "--signer-ca", binary)
        #expect(run.status == 0, "\(run)")
        #expect(recorded?["subject"]?.string == "CN=signer,O=Example Ltd", "\(run)")
    }

    @Test func aMessageOfMailIsCalledSoWithWhatToAskFor() throws {
        try root.write("/content", profile)
        try root.write("/signer.key", authority.key("signer"), mode: 0o600)
        for form in [[], ["-nodetach"]] {
            let path = root.path("/mail")
            let signing = try Command.run(
                [
                    "openssl", "smime", "-sign", "-in", root.path("/content"), "-signer",
                    authority.certificate("signer"), "-inkey", root.path("/signer.key"), "-out",
                    path,
                ] + form)
            #expect(signing.status == 0, "\(signing)")
            let run = try enroll(path, "--signer-ca", authority.certificate("root"))
            refused(run, "fileInvalid", "an S/MIME message")
            #expect(run.errors.contains("-outform DER -nodetach"), "\(run)")
        }
    }

    @Test func anAuthorityDoesNotVouchForAKeyThatCanBeBroken() throws {
        try authority.issue("weak", by: "root", .now, .weak)
        let path = try authority.sign(profile, by: ["weak"])
        let run = try enroll(path, "--signer-ca", authority.certificate("root"))
        refused(run, "signerUnknown", "EE certificate key too weak")
    }

    // MARK: What is signed

    @Test func aChangedByteIsFoundWhereverItIs() throws {
        let path = try authority.sign(profile, by: ["signer"])
        let bytes = try bytes(of: path)
        let fingerprint = try authority.fingerprint("signer")
        #expect(try enroll(path, "--accept-signer", fingerprint, "--dry-run").status == 0)
        var generator = SeededGenerator(seed: 7)
        var outcomes: Set<String> = []
        for _ in 0..<40 {
            var changed = bytes
            let place = Int.random(in: 0..<bytes.count, using: &generator)
            changed[place] ^= UInt8.random(in: 1...255, using: &generator)
            try write(changed, "/changed")
            let run = try enroll(root.path("/changed"), "--accept-signer", fingerprint)
            // A byte of the certificate, or one that encodes nothing: whatever it is, what
            // would be enrolled is what was signed, by the very signer.
            guard run.status != 0 else {
                #expect(recorded?["sha256"]?.string == (try authority.digits("signer")))
                #expect(try root.run(["profiles", "remove", "--force", "office"]).status == 0)
                #expect(try root.run(["remove", "office"]).status == 0)
                continue
            }
            #expect(run.status == 7 || run.status == 2, "at \(place): \(run)")
            outcomes.insert(EnrolledRoot.code(run) ?? "")
        }
        #expect(outcomes.contains("signatureInvalid"))
        let content = Array(profile.utf8)
        let start = try #require(
            (0...(bytes.count - content.count)).first {
                bytes[$0..<($0 + content.count)].elementsEqual(content)
            })
        var changed = bytes
        changed[start + content.count - 1] = UInt8(ascii: " ")
        try write(changed, "/changed")
        refused(
            try enroll(root.path("/changed"), "--accept-signer", fingerprint), "signatureInvalid",
            "the signature does not verify")
    }

    @Test func aTruncatedOneIsRefused() throws {
        let bytes = try bytes(of: try authority.sign(profile, by: ["signer"]))
        let fingerprint = try authority.fingerprint("signer")
        for length in [0, 1, 20, 100, bytes.count / 2, bytes.count - 1] {
            try write(Array(bytes.prefix(length)), "/cut")
            let run = try enroll(
                root.path("/cut"), "--name", "cut", "--accept-signer", fingerprint)
            #expect(run.status == 7, "\(length): \(run)")
        }
        #expect(site.state.isEmpty)
    }

    @Test func whatIsNoSignedMessageIsRefusedByName() throws {
        let accept = ["--accept-signer", try authority.fingerprint("signer")]
        func refusal(_ path: String, _ code: String, _ told: String) throws {
            refused(try root.run(["enroll", path, "--json"] + accept), code, told)
        }
        try authority.issue("second", by: "root")
        try refusal(
            try authority.sign(profile, by: ["signer"], options: []), "signatureInvalid",
            "a detached signature")
        try refusal(
            try authority.sign(profile, by: ["signer"], options: ["-nodetach", "-nocerts"]),
            "signatureInvalid", "the certificate of the signer is not in it")
        try refusal(
            try authority.sign(profile, by: ["signer", "second"]), "signatureInvalid",
            "signed by 2 signers")
        for encoding in ["DER", "PEM"] {
            try refusal(
                try authority.encrypt(profile, for: "signer", encoding: encoding), "fileEncrypted",
                "the file is encrypted")
        }
        try root.write("/garbage", "-----BEGIN CMS-----\nAAAA\n-----END CMS-----\n")
        try refusal(root.path("/garbage"), "fileInvalid", "a CMS message that cannot be read")
        #expect(site.state.isEmpty)
    }

    @Test func whatIsSignedMayItselfBeNoProfile() throws {
        for text in ["", "{}", "nonsense", String(repeating: "x", count: 1 << 17)] {
            let path = try authority.sign(text, by: ["signer"])
            let run = try enroll(path, "--signer-ca", authority.certificate("root"), "--name=x")
            refused(run, "fileInvalid")
        }
        #expect(site.state.isEmpty)
    }

    @Test func aSignedFileOfWgQuickIsTakenWithItsSecrets() throws {
        let path = try authority.sign(EnrolledRoot.file(), by: ["signer"])
        let run = try enroll(
            path, "--signer-ca", authority.certificate("root"), "--name", "office")
        #expect(run.status == 0, "\(run)")
        #expect(site.credential("office.privateKey") == EnrolledRoot.privateKey)
        #expect(recorded != nil)
    }

    // MARK: Replacing

    @Test func whatWasSignedIsReplacedByTheSameSignerAlone() throws {
        let first = try authority.sign(profile, by: ["signer"])
        let accept = ["--accept-signer", try authority.fingerprint("signer")]
        #expect(try root.run(["enroll", first] + accept).status == 0)
        // Who has signed what is replaced is vouched for.
        #expect(try enroll(first, "--replace").status == 0)
        try authority.issue("other", by: "root")
        let second = try authority.sign(profile, by: ["other"])
        let before = site.state
        let digits = (try authority.digits("signer"), try authority.digits("other"))
        for option in [[], ["--signer-ca", authority.certificate("root")], accept] {
            for more in [[], ["--dry-run"]] {
                let run = try root.run(["enroll", second, "--replace", "--json"] + option + more)
                refused(run, "signerChanged", digits.0)
                #expect(run.errors.contains(digits.1), "\(run.errors)")
            }
        }
        let unsigned = try site.enrollProfile(profile, "--replace", "--json")
        refused(unsigned, "signerChanged", "and this file is not signed")
        #expect(unsigned.errors.contains(digits.0))
        #expect(site.state == before)
        #expect(try enroll(second, "--replace", "--accept-signer", digits.1).status == 0)
        #expect(recorded?["sha256"]?.string == digits.1)
        // Or the former one is removed first.
        #expect(try root.run(["profiles", "remove", "--force", "office"]).status == 0)
        #expect(try site.enrollProfile(profile, "--replace").status == 0)
        #expect(recorded == nil)
        #expect(try enroll(first, "--replace", "--accept-signer", digits.0).status == 0)
    }

    /// What a signed profile brought is not taken over by a file under another name.
    @Test func theConfigurationOfASignedProfileIsReplacedByItsSignerAlone() throws {
        let path = try authority.sign(profile, by: ["signer"])
        let accept = ["--accept-signer", try authority.fingerprint("signer")]
        #expect(try root.run(["enroll", path] + accept).status == 0)
        // The same configuration, under a profile of another name.
        #expect(try root.run(["save", "office", "--set", #"name="desk""#]).status == 0)
        let before = site.state
        try root.write("/desk.conf", EnrolledRoot.file(), mode: 0o600)
        let other = profile.replacing(#""identifier": "office""#, with: #""identifier": "evil""#)
            .replacing("office/", with: "evil/").replacing(
                #""name": "office""#, with: #""name": "desk""#)
        try root.write("/evil.json", other)
        for run in [
            ["/desk.conf", "--name", "desk"], ["/evil.json"], ["/evil.json", "--dry-run"],
        ] {
            let run = try root.run(
                ["enroll", root.path(run[0]), "--replace", "--json"] + run.dropFirst())
            refused(run, "signerChanged", "the configuration desk is of the profile office")
        }
        #expect(site.state == before)
        let signed = try authority.sign(other, by: ["signer"])
        #expect(try root.run(["enroll", signed, "--replace"] + accept).status == 0)
    }

    /// Whose signature it had cannot be told of a profile that cannot be read.
    @Test func aProfileThatCannotBeReadIsNotReplacedAsAnUnsignedOne() throws {
        let path = try authority.sign(profile, by: ["signer"])
        let accept = ["--accept-signer", try authority.fingerprint("signer")]
        #expect(try root.run(["enroll", path] + accept).status == 0)
        chmod(root.path("/etc/utunctl/profiles/office.json"), 0o666)
        let before = site.state
        refused(
            try site.enrollProfile(profile, "--replace", "--json"), "profileUnusable",
            "who signed what is replaced cannot be told")
        #expect(site.state == before)
        #expect(try root.run(["enroll", path, "--replace"] + accept).status == 0)
    }

    @Test(arguments: ["md5", "sha1"]) func aDigestThatCanBeForgedIsRefused(digest: String) throws {
        try authority.issue("signer", by: "root", .now, .rsa)
        let path = try authority.sign(
            profile, by: ["signer"], options: ["-nodetach", "-md", digest])
        for vouching in [
            ["--signer-ca", authority.certificate("root")],
            ["--accept-signer", try authority.fingerprint("signer")],
        ] {
            let run = try root.run(["enroll", path, "--json"] + vouching)
            refused(run, "signatureInvalid", "a digest that can be forged")
        }
        #expect(site.state.isEmpty)
    }

    @Test(arguments: ["sha224", "sha384", "sha512"])
    func aDigestThatCannotIsTaken(digest: String) throws {
        for more in [["-noattr"], []] {
            let path = try authority.sign(
                profile, by: ["signer"], options: ["-nodetach", "-md", digest] + more)
            let run = try enroll(
                path, "--signer-ca", authority.certificate("root"), "--replace", "--dry-run")
            #expect(run.status == 0, "\(digest): \(run)")
        }
    }

    @Test(arguments: ["DER", "PEM"]) func whatStandsBehindItIsNotLeftOutInSilence(encoding: String)
        throws
    {
        let accept = ["--accept-signer", try authority.fingerprint("signer")]
        let message = try bytes(
            of: try authority.sign(profile, by: ["signer"], encoding: encoding))
        for more in [Array("trailing".utf8), message, [0]] {
            try write(message + more, "/followed")
            let run = try root.run(["enroll", root.path("/followed"), "--json"] + accept)
            refused(run, "fileInvalid", "something stands behind the signed message")
        }
        #expect(site.state.isEmpty)
    }

    /// As it is signed while it is read, in pieces whose length nobody knows before.
    @Test func aStreamedMessageIsTaken() throws {
        let path = try authority.sign(profile, by: ["signer"], options: ["-nodetach", "-stream"])
        let run = try enroll(path, "--signer-ca", authority.certificate("root"))
        #expect(run.status == 0, "\(run)")
    }

    @Test func certificatesAloneAreNotASignature() throws {
        let path = root.path("/bundle.p7b")
        _ = try Command.run([
            "openssl", "crl2pkcs7", "-nocrl", "-certfile", authority.certificate("root"),
            "-outform", "DER", "-out", path,
        ])
        refused(try enroll(path), "fileInvalid", "which nobody signed")
    }

    private func bytes(of path: String) throws -> [UInt8] {
        try FileDescriptor.open(path, O_RDONLY).readAll(limit: 1 << 24)
    }

    private func write(_ bytes: [UInt8], _ path: String) throws {
        try AtomicFile.replace(root.path(path), with: bytes, mode: 0o600)
    }
}
