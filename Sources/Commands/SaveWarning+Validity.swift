internal import LinuxSystem
internal import TunnelModel

extension SaveWarning {
    /// What is to be said of the times of a profile and of the certificates in it.
    static func validity(of profile: EnrolledProfile) -> [SaveWarning] {
        profile.validity(at: Timestamp(microseconds: Clock.wallMicroseconds)).map { notice in
            let place = profile.anchors.firstIndex {
                "\(profile.identifier)/\($0.name)" == notice.anchor
            }
            return SaveWarning(
                name: profile.identifier, code: notice.code,
                path: place.map { "anchors[\($0)]" } ?? "profile",
                text: "\(notice.anchor ?? profile.identifier) \(notice.problem)")
        }
    }
}

extension ValidityNotice {
    /// The stable code of a warning.
    var code: String {
        let subject = anchor == nil ? "profile" : "anchor"
        switch state {
        case .notYetValid: return "\(subject)NotYetValid"
        case .expired: return "\(subject)Expired"
        case .expiresSoon: return "\(subject)ExpiresSoon"
        }
    }
}
