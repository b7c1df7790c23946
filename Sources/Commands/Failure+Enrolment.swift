package import Enrolment
package import Preferences
internal import TunnelModel

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
        case .invalid(let problem): self.init(PreferencesError.invalidDocument(problem))
        case .preferences(let error): self.init(error)
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
                hint: "enrol a new one")
        case .unusable(let profile, let path, let problem):
            self.init(
                .refused, "profileUnusable",
                "the profile \(profile) cannot be used: \(path): \(problem)",
                hint: "mend the file, or enrol the profile again")
        }
    }
}
