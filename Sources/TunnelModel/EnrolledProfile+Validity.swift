/// That a profile or one of its anchors is not valid at some moment, or not for long.
package struct ValidityNotice: Equatable, Sendable {
    /// The anchor, `PROFILE/ANCHOR`; `nil` for the profile itself.
    package let anchor: String?
    /// Anything but valid.
    package let validity: Validity

    /// What is to be said of it, behind its name.
    package var problem: String {
        switch validity {
        case .valid: "is valid"
        case .notYet(let start): "is not valid before \(start.text)"
        case .ending(let end): "ends soon, at \(end.text)"
        case .ended(let end): "ended at \(end.text)"
        }
    }
}

extension EnrolledProfile {
    /// What is to be told of the times of profile and anchors at a moment; nothing where all is
    /// well.
    package func validityNotices(at now: Timestamp) -> [ValidityNotice] {
        let own = ValidityNotice(anchor: nil, validity: validity(at: now))
        let others = anchors.compactMap { anchor in
            anchor.certificate.map { certificate in
                ValidityNotice(
                    anchor: anchor.named(in: identifier).name,
                    validity: Validity(
                        notBefore: certificate.notBefore, notAfter: certificate.notAfter, at: now))
            }
        }
        return ([own] + others).filter { $0.validity != .valid }
    }
}
