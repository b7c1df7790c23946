package import Enrolment
internal import JSON
package import Preferences
package import TunnelModel

extension Failure {
    package init(_ error: QuickFileError) {
        self.init(.refused, "fileInvalid", error.text, hint: error.hint)
    }

    package init(_ error: MobileProfileError) {
        let code =
            switch error {
            case .refused: "payloadRefused"
            case .unknownProvider: "providerUnknown"
            case .value, .missing, .quick, .empty, .noName: "fileInvalid"
            }
        self.init(.refused, code, error.text, hint: error.hint)
    }

    /// The failure of a profile that is to be enrolled.
    ///
    /// Material in a wrong place is named as such, and no text of the file is repeated that may
    /// be a secret.
    init(enrolling error: JSONError, in bytes: [UInt8]) {
        if let material = ProfileFile.misplacedMaterial(in: bytes) {
            self.init(material)
        } else {
            let shown = ProfileFile.shown(error, in: bytes)
            self.init(.refused, "fileInvalid", shown.text, hint: Self.nearestKey(shown))
        }
    }

    package init(_ error: EnrolmentError) {
        switch error {
        case .configurationExists(let name):
            self.init(
                .refused, "nameTaken", "there is a configuration \(name) already",
                hint: "--replace puts this one in its place, and keeps its identifier")
        case .fileExists(let path):
            self.init(
                .refused, "fileExists", "\(path) is there already, though no configuration is",
                hint: "--replace puts a new one in its place")
        case .profileExists(let profile):
            self.init(
                .refused, "fileExists", "the profile \(profile) is enrolled already",
                hint: "--replace puts this one in its place")
        case .credentialInUse(let file, let users):
            self.init(
                .refused, "credentialInUse",
                "\(Self.shown(users)) refers to the credential \(file), which would be replaced",
                hint: Self.elsewhere(users))
        case .anchorInUse(let anchor, let users):
            self.init(
                .refused, "profileInUse",
                "\(Self.shown(users)) trusts \(anchor), which would be another key",
                hint: Self.elsewhere(users))
        case .trust(let name, let error):
            let failure = Failure(error)
            self.init(
                failure.exitStatus, failure.code, "the configuration \(name): \(failure.text)",
                hint: failure.hint)
        case .signerChanged(let profile, let former, let new?):
            self.init(
                .refused, "signerChanged",
                "the profile \(profile) was signed by \(former.text), and this file by \(new.text)",
                hint: "compare the fingerprint with whoever issued the file, and give "
                    + "--accept-signer \(new.fingerprint.text); or give up its trust first: "
                    + "utunctl profiles remove --force \(profile)")
        case .signerChanged(let profile, let former, nil):
            self.init(
                .refused, "signerChanged",
                "the profile \(profile) was signed by \(former.text), and this file is not signed",
                hint: "get the signed file; or give up its trust first: "
                    + "utunctl profiles remove --force \(profile)")
        case .signedConfiguration(let name, let profile, let former, let new):
            let signer = new.map { "by \($0.text)" } ?? "by nobody"
            self.init(
                .refused, "signerChanged",
                "the configuration \(name) is of the profile \(profile), which was signed by "
                    + "\(former.text), and this file is signed \(signer)",
                hint: new.map { "--accept-signer \($0.fingerprint.text) takes it all the same" }
                    ?? "give it another name, or remove the configuration first: "
                    + "utunctl remove \(name)")
        case .formerUnusable(let error):
            let failure = Failure(error)
            self.init(
                failure.exitStatus, failure.code,
                "\(failure.text): who signed what is replaced cannot be told",
                hint: "mend the file, or remove the profile first: utunctl profiles remove --force")
        case .foreignCredential(let name, let key, let reason):
            self.init(
                .refused, "credentialForeign",
                "the configuration \(name): credentials.\(key): \(reason.text)",
                hint: "no file gives its tunnels the secrets of others: leave it out there, and "
                    + "save \(name) --set credentials.\(key)=file:… afterwards")
        case .profileTooLarge(let name):
            self.init(
                .refused, "fileInvalid",
                "the profile \(name) would be longer than what is read again: 16 MiB")
        case .invalid(let problem): self.init(PreferencesError.invalidDocument(problem))
        case .preferences(let error): self.init(error)
        }
    }

    private static func shown(_ users: [String]) -> String {
        let more = users.count > 4 ? " and \(users.count - 4) more" : ""
        return users.prefix(4).joined(separator: ", ") + more
    }

    /// What to do where the names of a file are taken by another configuration.
    private static func elsewhere(_ users: [String]) -> String {
        let other = users.first ?? "NAME"
        return "enrol it under another --name; with --name \(other) --replace it goes in the place "
            + "of \(other)"
    }

    package init(_ error: RemovalError) {
        switch error {
        case .notEnrolled(let name, let enrolled):
            self.init(
                .refused, "profileMissing", "no profile \(name.shownInMessage) is enrolled",
                hint: nearestWord(to: name, in: enrolled).map { "did you mean \($0)?" }
                    ?? "see `utunctl profiles`")
        case .inUse(let profile, let users):
            self.init(
                .refused, "profileInUse", "\(Self.shown(users)) trust anchors of \(profile)",
                hint: "--force removes it all the same; they cannot start without it")
        case .preferences(let error): self.init(error)
        }
    }

    package init(_ material: MisplacedMaterial) {
        switch material.kind {
        case .secret:
            self.init(
                .refused, "secretInConfiguration", material.text,
                hint: "utunctl credential set KEY, and then --set credentials.KEY=file:KEY")
        case .trust:
            self.init(
                .refused, "trustInConfiguration", material.text,
                hint: "it comes by enrolment: utunctl enroll FILE")
        case .key:
            self.init(
                .refused, "keyInConfiguration", material.text,
                hint: "a public key comes by utunctl enroll FILE, a private one by utunctl"
                    + " credential set KEY")
        case .unverified:
            self.init(
                .refused, "verificationSwitchedOff", material.text,
                hint: "unset it; what the peer is to be verified against comes by utunctl enroll"
                    + " FILE")
        }
    }

    package init(_ error: ProfileError) {
        switch error {
        case .notAnAnchor(let name):
            self.init(
                .refused, "trustAnchorMissing", "\(name) is not the name of an anchor",
                hint: "the names of anchors have the form PROFILE/ANCHOR")
        case .notEnrolled(let name, let profile, let enrolled):
            self.init(
                .refused, "trustAnchorMissing", "\(name): no profile \(profile) is enrolled",
                hint: nearestWord(to: profile, in: enrolled).map { "did you mean \($0)?" }
                    ?? "enrol it: utunctl enroll FILE --name \(profile)")
        case .noSuchAnchor(let name, let anchors):
            let anchor = AnchorReference(name)?.anchor ?? name
            self.init(
                .refused, "trustAnchorMissing", "\(name): the profile has no anchor \(anchor)",
                hint: nearestWord(to: anchor, in: anchors).map { "did you mean \($0)?" }
                    ?? "enrol the profile again")
        case .wrongKind(let name, let kind, let wanted):
            self.init(
                .refused, "trustAnchorUnusable",
                "\(name) is of kind \(kind.rawValue), and the provider takes \(wanted.rawValue)")
        case .sameKey(let name, let other):
            self.init(
                .refused, "trustAnchorUnusable", "\(name) and \(other) are the same key",
                hint: "name one of them alone")
        case .expired(let profile, let notAfter):
            self.init(
                .refused, "profileExpired", "the profile \(profile) ended at \(notAfter.text)",
                hint: "ask whoever issues it for a new one, and enrol that")
        case .notYetValid(let profile, let notBefore):
            self.init(
                .refused, "profileNotYetValid",
                "the profile \(profile) is not valid before \(notBefore.text)",
                hint: "look at this host's clock, or ask whoever issues the profile")
        case .unusable(let profile, let path, let problem):
            self.init(
                .refused, "profileUnusable",
                "the profile \(profile) cannot be used: \(path): \(problem)",
                hint: "mend the file, or enrol the profile again")
        }
    }
}

extension ForeignCredential {
    fileprivate var text: String {
        switch self {
        case .absolute: "a path outside the credentials directory"
        case .ofConfiguration(let name): "the secret is that of the configuration \(name)"
        case .ofProfile(let name): "the secret came with the profile \(name)"
        }
    }
}
