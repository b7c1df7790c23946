internal import Enrolment
internal import JSON
internal import LinuxSystem
internal import Preferences
internal import TunnelModel

/// Reads what is enrolled, whatever its format.
struct EnrolmentReading {
    private let context: Context
    /// `nil` where the file is not signed.
    private let message: SignedMessage?
    private let signers: SignerRule
    /// What is to be enrolled, out of what it was signed in.
    private let bytes: [UInt8]
    /// Found by what the file holds.
    let format: EnrolmentFormat
    /// Whether On Demand rules of the file are to be in force.
    private let isArmed: Bool
    /// What is to be said of the file's mode; `nil` where it is no matter.
    let laxMode: String?
    /// The provider that tunnels of a configuration profile are to have.
    private let provider: String?

    /// Reads the file that the command line names.
    init(_ context: Context) throws(Failure) {
        self.context = context
        isArmed = context.invocation.has("arm")
        signers = try SignerRule(context)
        let source = try EnrolmentSource(context.operand)
        message = try SignedMessage(source.bytes)
        if message == nil, MailMessage.isSecured(source.bytes) {
            throw Failure(
                .refused, "fileInvalid", "an S/MIME message, as mail carries it",
                hint: "have it signed by openssl cms -sign -binary -outform DER -nodetach, which "
                    + "makes a file of it")
        }
        bytes = message?.content ?? source.bytes
        format = EnrolmentFormat(detecting: bytes)
        laxMode = format.holdsSecrets ? source.laxMode : nil
        provider = context.invocation.value("provider")
        guard let provider else { return }
        if let problem = Naming.problem(ofProvider: provider) {
            throw Failure(.refused, "documentInvalid", "--provider: \(problem)")
        }
        guard format == .mobileconfig else {
            throw Failure(
                UsageError(
                    "--provider is for configuration profiles of Apple",
                    hint: "leave it out: this file says what its tunnels are"))
        }
    }

    /// What the file asks to be enrolled, by a signer who may; `name` goes before a name that
    /// stands in it.
    func proposal(named name: String?) throws(Failure) -> EnrolmentProposal {
        var proposal = try read(named: name)
        let profile = proposal.material.profile.identifier
        proposal.material.profile.signer = try signers.check(message, of: profile)
        try describeCertificates(of: &proposal.material.profile)
        try refuseOwnKeys(in: proposal.material)
        return proposal
    }

    /// Whether the command line itself names the signer, so that it may be another than before.
    func acceptsNewSigner(of profile: EnrolledProfile) -> Bool { signers.names(profile.signer) }

    private func read(named name: String?) throws(Failure) -> EnrolmentProposal {
        switch format {
        case .profile:
            do throws(JSONError) {
                return try ProfileFile(parsing: bytes).proposal(named: name, isArmed: isArmed)
            } catch {
                throw Failure(enrolling: error, in: bytes)
            }
        case .mobileconfig:
            let root = try PropertyListHelper(context.layout).parse(bytes)
            let options = MobileProfile.Options(name: name, provider: provider, arm: isArmed)
            do { return try MobileProfile.proposal(of: root, options) } catch {
                throw Failure(error)
            }
        case .quick:
            let name = try required(name)
            do { return try QuickFile(parsing: bytes).proposal(named: name) } catch {
                throw Failure(error)
            }
        }
    }

    /// Has each certificate read, so that one that is none is found now and not by a provider.
    private func describeCertificates(of profile: inout EnrolledProfile) throws(Failure) {
        let certificates = profile.anchors.indices.filter { profile.anchors[$0].kind == .x509 }
        guard certificates.count <= EnrolledMaterial.mostCertificates else {
            throw Failure(
                .refused, "fileInvalid",
                "anchors: more than \(EnrolledMaterial.mostCertificates) certificates")
        }
        for index in certificates {
            let anchor = profile.anchors[index]
            guard let certificate = try Certificate(pem: Array(anchor.value.utf8)) else {
                throw Failure(
                    .refused, "fileInvalid",
                    "the anchor \(anchor.named(in: profile.identifier).name): not a certificate "
                        + "that openssl can read")
            }
            profile.anchors[index].certificate = certificate.description
        }
    }

    /// Refuses a peer that is the tunnel itself: it could never answer.
    private func refuseOwnKeys(in material: EnrolledMaterial) throws(Failure) {
        for tunnel in material.tunnels.compactMap(\.wireGuard) where !tunnel.anchors.isEmpty {
            // What cannot be computed here is no reason not to enrol.
            guard let file = tunnel.credentials["privateKey"], let secret = tunnel.secrets[file],
                let helper = try? PublicKeyHelper(context.layout),
                let key = try? helper.publicKey(of: secret),
                let anchor = tunnel.anchors.first(where: { $0.value == key })
            else { continue }
            throw Failure(
                .refused, "fileInvalid",
                "the PublicKey of \(anchor.named(in: material.profile.identifier).name) is that of "
                    + "the tunnel's own PrivateKey",
                hint: "PublicKey is the key of the other side: ask for that")
        }
    }

    /// The name, of formats that have none in the file.
    private func required(_ name: String?) throws(Failure) -> String {
        if let name { return name }
        let proposal = Self.proposedName(for: context.operand)
        throw Failure(UsageError("no name given", hint: "add --name \(proposal)"))
    }

    /// A name that a file could be enrolled under.
    private static func proposedName(for file: String) -> String {
        var stem = AtomicFile.split(file).name[...]
        if stem.hasSuffix(".conf") { stem = stem.dropLast(5) }
        let bytes = stem.utf8.map { byte in
            Naming.problem(ofProfile: "x\(Character(Unicode.Scalar(byte)))") == nil
                ? byte : UInt8(ascii: "-")
        }
        let name = String(
            decoding: bytes.drop { "_.-".utf8.contains($0) }.prefix(64), as: UTF8.self)
        return SavePlan.problem(ofNew: name) == nil ? name : "tunnel"
    }
}
