internal import Glibc
internal import LinuxSystem
internal import Preferences
internal import TunnelModel

/// Whose signature counts: what the command line says, and who signed what is replaced.
struct SignerRule {
    private let accepted: Set<CertificateFingerprint>
    /// The CAs of `--signer-ca`, in PEM form.
    private let authorities: [UInt8]?
    private let profiles: ProfileStore

    private static let largestAuthorities = 16 << 20

    /// Reads the options, and the file that one of them names.
    init(_ context: Context) throws(Failure) {
        var accepted: Set<CertificateFingerprint> = []
        for occurrence in context.invocation.occurrences where occurrence.name == "accept-signer" {
            let text = occurrence.value ?? ""
            guard let fingerprint = CertificateFingerprint(text) else {
                throw Failure(
                    UsageError(
                        "--accept-signer \(text.shownInMessage): not a SHA-256 fingerprint",
                        hint: "64 hexadecimal digits, as enroll shows it when it refuses a signer"))
            }
            accepted.insert(fingerprint)
        }
        self.accepted = accepted
        profiles = ProfileStore(context.layout)
        guard let path = context.invocation.value("signer-ca") else {
            authorities = nil
            return
        }
        let bytes: [UInt8]
        do throws(SystemError) {
            bytes = try FileDescriptor.open(path, O_RDONLY | O_NOCTTY)
                .readAll(limit: Self.largestAuthorities, path)
        } catch {
            throw Failure(error)
        }
        authorities = try Self.textForm(of: bytes)
    }

    /// Certificates in PEM form, as which alone openssl takes several; of one in DER form as well.
    private static func textForm(of bytes: [UInt8]) throws(Failure) -> [UInt8] {
        // A SEQUENCE, with which no text begins that could be PEM.
        guard bytes.first == 0x30 else { return bytes }
        let run = try OpenSSL.run(["x509", "-inform", "DER", "-outform", "PEM"], inputs: [bytes])
        guard case .success(let pem) = run else {
            throw Failure(
                .refused, "fileInvalid", "--signer-ca: no certificate in PEM or DER form")
        }
        return pem
    }

    /// Whether the command line itself names the signer.
    func names(_ signer: CertificateDescription?) -> Bool {
        signer.map { accepted.contains($0.fingerprint) } ?? false
    }

    /// Throws unless somebody vouches for who signed the file of a profile.
    func check(_ message: SignedMessage?, of profile: String) throws(Failure)
        -> CertificateDescription?
    {
        guard let message else {
            guard accepted.isEmpty, authorities == nil else {
                throw Failure(
                    .refused, "fileUnsigned", "the file is not signed",
                    hint: "a signer was asked for: get the signed file")
            }
            return nil
        }
        let signer = message.signer.description
        try checkTime(of: signer)
        if names(signer) { return signer }
        var problem: String?
        if let authorities {
            guard try Certificate(pem: authorities) != nil else {
                throw Failure(
                    .refused, "fileInvalid", "--signer-ca: no certificate in PEM or DER form")
            }
            problem = try message.problem(under: authorities)
            if problem == nil { return signer }
        }
        let former = (try? profiles.profile(profile))?.signer
        if former?.fingerprint == signer.fingerprint { return signer }
        if let former {
            throw Failure(EnrolmentError.signerChanged(profile, former: former, new: signer))
        }
        throw Failure(
            .refused, "signerUnknown",
            "signed by \(signer.text), for whom "
                + (problem.map { "the CA does not vouch: \($0)" } ?? "nobody vouches"),
            hint: "compare the fingerprint with whoever issued the file, and give "
                + "--accept-signer FINGERPRINT; or --signer-ca FILE with the CA of the signer")
    }

    private func checkTime(of signer: CertificateDescription) throws(Failure) {
        let now = Timestamp(microseconds: Clock.wallMicroseconds)
        if signer.notAfter < now {
            throw Failure(
                .refused, "signerExpired",
                "the certificate of the signer, \(signer.text), ended at "
                    + signer.notAfter.text,
                hint: "ask for a file that is signed anew; the clock here says \(now.text)")
        }
        if now < signer.notBefore {
            throw Failure(
                .refused, "signerExpired",
                "the certificate of the signer, \(signer.text), is not valid before "
                    + signer.notBefore.text,
                hint: "the clock here says \(now.text)")
        }
    }
}
