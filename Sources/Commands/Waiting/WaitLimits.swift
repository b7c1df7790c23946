internal import TunnelModel

/// How long a start is waited for, and how often it is tried.
struct WaitLimits {
    /// The longest pause before another try, in seconds.
    private static let longestPause: Int64 = 30
    private static let mostRetries: UInt64 = 1000

    /// What the user has given, in milliseconds, for all tries together.
    let given: Int64?
    /// For each try, in milliseconds.
    let each: Int64
    /// How often it is tried again.
    let retries: Int

    init(_ invocation: Invocation, _ configuration: Configuration) throws(Failure) {
        do throws(UsageError) {
            given = try invocation.duration("timeout")?.wholeMilliseconds
            retries = Int(try invocation.unsigned("retries", in: 0...Self.mostRetries) ?? 0)
        } catch {
            throw Failure(error)
        }
        // So that the session's own verdict comes first.
        each = given ?? Int64(configuration.startTimeout + 5) * 1000
    }

    init(given: Int64?, each: Int64, retries: Int) {
        self.given = given
        self.each = each
        self.retries = retries
    }

    /// For all tries with their pauses, in milliseconds.
    var total: Int64 {
        guard retries > 0 else { return each }
        let pauses = (1...retries).reduce(0) { $0 + Self.pauseSeconds(before: $1) }
        return given ?? each * Int64(retries + 1) + pauses * 1000
    }

    /// The seconds before a try, of which the first is not counted.
    static func pauseSeconds(before retry: Int) -> Int64 {
        min(1 << Int64(min(max(retry, 1), 16) - 1), longestPause)
    }

    /// What is said when the time is up.
    func notConnected(_ status: TunnelStatus) -> String {
        "not connected after \(Double(each) / 1000) s (\(status.rawValue))"
    }
}
