extension Validity {
    /// What is to be said of a profile ahead of the start that it will refuse, or refuses.
    package func warning(ofProfile profile: String) -> TunnelWarning? {
        switch self {
        case .valid: nil
        case .ending(let end):
            TunnelWarning(
                .trustExpiring,
                "the profile \(profile) ends at \(end.text), and start refuses it from then on: ask"
                    + " whoever issues it for a new one")
        case .ended(let end):
            TunnelWarning(
                .trustExpired,
                "the profile \(profile) ended at \(end.text), and start refuses it: ask whoever"
                    + " issues it for a new one")
        case .notYet(let start):
            TunnelWarning(
                .trustNotYetValid,
                "the profile \(profile) is not valid before \(start.text), and start refuses it:"
                    + " look at this host's clock, or ask whoever issues it")
        }
    }
}
