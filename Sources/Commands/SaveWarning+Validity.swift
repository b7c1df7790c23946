internal import LinuxSystem
internal import TunnelModel

extension SaveWarning {
    /// What is to be said of the times of a profile and of the certificates in it.
    static func validity(of profile: EnrolledProfile) -> [SaveWarning] {
        let now = Timestamp(microseconds: Clock.wallMicroseconds)
        return profile.validityNotices(at: now).map { notice in
            let place = profile.anchors.firstIndex {
                $0.named(in: profile.identifier).name == notice.anchor
            }
            return SaveWarning(
                name: profile.identifier, code: notice.code,
                path: place.map { "anchors[\($0)]" } ?? "profile",
                text: "\(notice.anchor ?? profile.identifier) \(notice.problem)")
        }
    }
}

extension ValidityNotice {
    /// The stable code of a warning, the same as in a status.
    var code: String {
        switch validity {
        case .valid: "valid"
        case .notYet: "trustNotYetValid"
        case .ending: "trustExpiring"
        case .ended: "trustExpired"
        }
    }

    /// When it begins or ends.
    var moment: Timestamp? {
        switch validity {
        case .valid: nil
        case .notYet(let moment), .ending(let moment), .ended(let moment): moment
        }
    }
}
