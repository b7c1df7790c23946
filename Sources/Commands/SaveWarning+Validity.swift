internal import LinuxSystem
internal import TunnelModel

extension SaveWarning {
    /// What is to be said of the times of a profile and of the certificates in it.
    static func validity(of profile: EnrolledProfile) -> [SaveWarning] {
        let now = Timestamp(microseconds: Clock.wallMicroseconds)
        return profile.validityNotices(at: now).compactMap { notice in
            guard let code = notice.validity.code else { return nil }
            let place = profile.anchors.firstIndex {
                $0.named(in: profile.identifier).name == notice.anchor
            }
            return SaveWarning(
                name: profile.identifier, code: code.rawValue,
                path: place.map { "anchors[\($0)]" } ?? "profile",
                text: "\(notice.anchor ?? profile.identifier) \(notice.problem)")
        }
    }
}
