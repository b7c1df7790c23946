internal import LinuxSystem
internal import Preferences
internal import SessionHost

/// A program that computes something of what it is given, and is kept away from everything else.
struct HelperProgram {
    private static let milliseconds: Int64 = 10_000

    let path: String
    private let isApart: Bool

    /// Finds the program, before anything is done that needs it; `purpose` says what cannot be
    /// done without it.
    ///
    /// One that is `apart` takes what strangers wrote, and runs as a provider does where this
    /// process may do so; else with no more rights than the caller has.
    init(_ name: String, for purpose: String, apart: Bool = false, _ layout: FileLayout)
        throws(Failure)
    {
        path = layout.helper(name)
        isApart = apart
        do { _ = try TrustedFile.openExecutable(path) } catch {
            throw Failure(
                .refused, "helperUnusable", "\(purpose): \(path): \(error.problem)",
                hint: "install it")
        }
    }

    /// Runs it with a standard input that is in memory alone, and answers what it printed.
    ///
    /// With more than `limit` bytes of answer it is ended.
    func run(_ input: [UInt8], limit: Int) throws(HelperRun.Failure) -> [UInt8] {
        // Its standard output hangs up when nobody reads it any more.
        let isolation = ChildProcess.Isolation(
            hasOwnNetwork: true, user: Sandbox.user, livenessDescriptor: 1)
        return try HelperRun.finish(
            path, [], inputs: [input], limit: limit, isolation: isApart ? isolation : nil,
            milliseconds: Self.milliseconds)
    }
}
