internal import OnDemand

/// `ondemand run`: is the service.
struct OnDemandRunning {
    /// The options that are about it.
    static let options = [
        Option(
            "first-retry", value: "TIME",
            summary: "run: the pause after a first failure, doubled each time; default: 5s"),
        Option(
            "longest-retry", value: "TIME", summary: "run: the longest pause; default: 5m"),
        Option(
            "most-failures", value: "N",
            summary: "run: try no more after so many in a row; default: 8"),
    ]

    private let context: Context

    init(_ context: Context) {
        self.context = context
    }

    func run() throws(Failure) -> ExitStatus {
        let service = try OnDemandService(
            context, try policy(), ssidFile: context.invocation.value("ssid-file"))
        return try service.run()
    }

    private func policy() throws(Failure) -> RetryPolicy {
        var policy = RetryPolicy()
        do throws(UsageError) {
            if let first = try context.invocation.duration("first-retry") {
                policy.firstMilliseconds = first.wholeMilliseconds
            }
            if let longest = try context.invocation.duration("longest-retry") {
                policy.longestMilliseconds = longest.wholeMilliseconds
            }
            if let most = try context.invocation.unsigned("most-failures", in: 1...1000) {
                policy.mostFailures = Int(most)
            }
        } catch {
            throw Failure(error)
        }
        return policy
    }
}
