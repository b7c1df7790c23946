/// That a profile or one of its anchors is not valid at some moment, or not for long.
package struct ValidityNotice: Equatable, Sendable {
    /// How its time lies.
    package enum State: String, CaseIterable, Sendable {
        case notYetValid, expired, expiresSoon
    }

    /// The anchor, `PROFILE/ANCHOR`; `nil` for the profile itself.
    package let anchor: String?
    package let state: State
    /// When it begins or ends.
    package let moment: Timestamp

    /// What is to be said of it, behind its name.
    package var problem: String {
        switch state {
        case .notYetValid: "is not valid before \(moment.text)"
        case .expired: "ended at \(moment.text)"
        case .expiresSoon: "ends soon, at \(moment.text)"
        }
    }

    /// Whether it can be used.
    package var isUsable: Bool { state == .expiresSoon }
}

extension EnrolledProfile {
    /// How long before its end it is told that something ends.
    package static let soonMicroseconds: Int64 = 30 * 86_400 * 1_000_000

    /// What is to be told of the times of profile and anchors; nothing where all is well.
    package func validity(at now: Timestamp) -> [ValidityNotice] {
        var notices: [ValidityNotice] = []
        func look(_ anchor: String?, _ notBefore: Timestamp?, _ notAfter: Timestamp?) {
            let notice = Self.state(notBefore, notAfter, now)
            guard let notice else { return }
            notices.append(
                ValidityNotice(anchor: anchor, state: notice.state, moment: notice.moment))
        }
        look(nil, notBefore, notAfter)
        for anchor in anchors {
            look(
                "\(identifier)/\(anchor.name)", anchor.certificate?.notBefore,
                anchor.certificate?.notAfter)
        }
        return notices
    }

    private static func state(
        _ notBefore: Timestamp?,
        _ notAfter: Timestamp?,
        _ now: Timestamp
    ) -> (state: ValidityNotice.State, moment: Timestamp)? {
        if let notAfter, notAfter < now { return (.expired, notAfter) }
        if let notBefore, now < notBefore { return (.notYetValid, notBefore) }
        guard let notAfter,
            notAfter.microseconds.subtractingReportingOverflow(now.microseconds).partialValue
                < soonMicroseconds
        else { return nil }
        return (.expiresSoon, notAfter)
    }
}
