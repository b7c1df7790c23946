extension TunnelWarning {
    /// What is to be said of a profile that is gone, ahead of the start that refuses.
    package static func missing(profile: String) -> TunnelWarning {
        TunnelWarning(
            .trustMissing,
            "the profile \(profile) is not enrolled, and start refuses that: enrol it again")
    }
}

extension Validity {
    /// The code of the warning of what is not valid, or not for long; `nil` for what is.
    package var code: TunnelWarning.Code? {
        switch self {
        case .valid: nil
        case .notYet: .trustNotYetValid
        case .ending: .trustExpiring
        case .ended: .trustExpired
        }
    }

    /// When it begins or ends.
    package var moment: Timestamp? {
        switch self {
        case .valid: nil
        case .notYet(let moment), .ending(let moment), .ended(let moment): moment
        }
    }

    /// What is to be said of a profile ahead of the start that it will refuse, or refuses.
    package func warning(ofProfile profile: String) -> TunnelWarning? {
        guard let code else { return nil }
        let text =
            switch self {
            case .valid: "is valid"
            case .ending(let end):
                "ends at \(end.text), and start refuses it from then on: ask whoever issues it for a"
                    + " new one"
            case .ended(let end):
                "ended at \(end.text), and start refuses it: ask whoever issues it for a new one"
            case .notYet(let start):
                "is not valid before \(start.text), and start refuses it: look at this host's clock,"
                    + " or ask whoever issues it"
            }
        return TunnelWarning(code, "the profile \(profile) \(text)")
    }
}
