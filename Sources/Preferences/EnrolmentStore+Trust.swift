internal import TunnelModel

extension EnrolmentStore {
    /// Throws where a configuration names an anchor that will not be there.
    func checkTrust(of saved: [SavedConfiguration], _ profile: EnrolledProfile)
        throws(EnrolmentError)
    {
        let own = Set(profile.anchors.map(\.name))
        for configuration in saved.map(\.configuration) {
            var others: [String] = []
            for name in configuration.enrolledTrust {
                guard let reference = AnchorReference(name),
                    reference.profile == profile.identifier
                else {
                    others.append(name)
                    continue
                }
                guard !own.contains(reference.anchor) else { continue }
                throw .trust(
                    configuration: configuration.name,
                    .noSuchAnchor(name: name, anchors: own.sorted()))
            }
            let problem = profiles.problems(of: others).first { $0.error.isAbsence }
            if let problem { throw .trust(configuration: configuration.name, problem.error) }
        }
    }

    /// Where configurations name anchors that the profile has no more.
    func lostAnchors(of profile: EnrolledProfile, _ document: PreferencesDocument)
        -> [(name: String, notice: ConfigurationNotice)]
    {
        let own = Set(profile.anchors.map(\.name))
        return document.configurations.flatMap { configuration in
            configuration.trust.enumerated().compactMap { index, name in
                guard let reference = AnchorReference(name),
                    reference.profile == profile.identifier, !own.contains(reference.anchor)
                else { return nil }
                return (
                    configuration.name,
                    ConfigurationNotice(
                        path: "trust[\(index)]", code: "trustAnchorMissing",
                        text: "the profile has no anchor \(reference.anchor) any more: start will "
                            + "refuse")
                )
            }
        }
    }
}

extension ProfileError {
    /// Whether the anchor is not there at all, rather than of no use now.
    fileprivate var isAbsence: Bool {
        switch self {
        case .notAnAnchor, .notEnrolled, .noSuchAnchor: true
        case .wrongKind, .sameKey, .expired, .notYetValid, .unusable: false
        }
    }
}
