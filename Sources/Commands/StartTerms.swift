internal import TunnelModel

/// On whose behalf a tunnel is started, and when its provider is to run.
struct StartTerms: Equatable {
    /// Who may be said to start a tunnel; the service manager says so by itself.
    static let origins: [SessionOrigin] = [.user, .ondemand]

    /// What may be said of it by `start`.
    static let options = [
        Option(
            "origin", value: "WHO", choices: origins.map(\.rawValue),
            summary: "user (default), or ondemand: refused (7) where somebody has stopped it"),
        Option(
            "when", value: "WHEN", choices: OnDemandRule.Moment.allCases.map(\.rawValue),
            summary: "now (default), or traffic: with the first packet that it is to carry"),
    ]

    /// `nil` where nobody has said.
    var statedOrigin: SessionOrigin?
    var waitsForTraffic = false

    var origin: SessionOrigin { statedOrigin ?? .user }

    /// A person's start, which waits for nothing.
    init() {}

    /// What `start` was given.
    init(_ invocation: Invocation) throws(Failure) {
        statedOrigin = try Self.choice("origin", of: Self.origins, invocation)
        let moment = try Self.choice("when", of: OnDemandRule.Moment.allCases, invocation)
        waitsForTraffic = moment == .traffic
        if waitsForTraffic, invocation.has("wait") {
            throw Failure(
                UsageError(
                    "--wait does not go with --when traffic",
                    hint: "utunctl wait NAME waits until something has woken it"))
        }
    }

    private static func choice<Value: RawRepresentable<String>>(
        _ option: String,
        of values: [Value],
        _ invocation: Invocation
    ) throws(Failure) -> Value? {
        guard let text = invocation.value(option) else { return nil }
        guard let value = Value(rawValue: text), values.contains(where: { $0 == value }) else {
            let choices = values.map(\.rawValue).joined(separator: ", ")
            throw Failure(
                UsageError("--\(option): \(text.shownInMessage) is not one of \(choices)"))
        }
        return value
    }
}
