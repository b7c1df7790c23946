/// Whether what is valid for a time is so at a moment.
package enum Validity: Equatable, Sendable {
    case valid
    /// It is not valid before a moment to come.
    case notYet(from: Timestamp)
    /// It is valid, and ends within `noticeDays`.
    case ending(at: Timestamp)
    case ended(at: Timestamp)

    /// How long before its end something is worth a word.
    package static let noticeDays: Int64 = 30

    /// The validity at `now` of what is valid from one moment to another, both included; `nil`
    /// is no bound.
    package init(notBefore: Timestamp?, notAfter: Timestamp?, at now: Timestamp) {
        let (soon, isBeyond) = now.microseconds.addingReportingOverflow(
            Self.noticeDays * 86_400 * 1_000_000)
        if let notBefore, now < notBefore {
            self = .notYet(from: notBefore)
        } else if let notAfter, notAfter < now {
            self = .ended(at: notAfter)
        } else if let notAfter, isBeyond || notAfter.microseconds <= soon {
            self = .ending(at: notAfter)
        } else {
            self = .valid
        }
    }
}

extension EnrolledProfile {
    /// Whether the anchors of the profile count at a moment: the one place that says so.
    package func validity(at now: Timestamp) -> Validity {
        Validity(notBefore: notBefore, notAfter: notAfter, at: now)
    }
}
