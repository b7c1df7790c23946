internal import Glibc
internal import LinuxSystem
internal import Preferences
internal import SessionHost

/// A program that computes something of what it is given, and is kept away from everything else.
struct HelperProgram: ~Copyable {
    /// What a run came to.
    struct Answer {
        let output: [UInt8]
        /// `nil` where it was not done in time.
        let exit: ChildProcess.Exit?

        /// What it answered; `nil` where it did not end well.
        var ifDone: [UInt8]? { exit == .status(0) ? output : nil }
    }

    private static let milliseconds: Int64 = 10_000

    let path: String
    private let executable: FileDescriptor
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
        do { executable = try TrustedFile.openExecutable(path) } catch {
            throw Failure(
                .refused, "helperUnusable", "\(purpose): \(path): \(error.problem)",
                hint: "install it")
        }
    }

    /// Runs it with a standard input that is in memory alone; no argument and no variable holds it.
    ///
    /// With `limit` bytes of answer it is ended.
    func run(_ input: [UInt8], limit: Int) throws(SystemError) -> Answer {
        let given = try FileDescriptor.inMemory("input", input)
        let output = try Pipe()
        let child = try launch([given.raw, output.writing.raw, STDERR_FILENO])
        let reading = output.keepReading()
        let deadline = Deadline.after(milliseconds: Self.milliseconds)
        var answer: [UInt8] = []
        var isWhole = false
        while !isWhole, answer.count <= limit,
            try !LineClient.wait(for: [(reading.raw, .readable)], until: deadline).isEmpty
        {
            let part = try reading.read(atMost: 65_536)
            isWhole = part.isEmpty
            answer += part
        }
        // What has closed its output may still not end.
        if isWhole {
            let ended = try LineClient.wait(
                for: [(child.descriptor.raw, .readable)], until: deadline)
            isWhole = !ended.isEmpty
        }
        if !isWhole { child.signal(SIGKILL) }
        _ = try LineClient.wait(for: [(child.descriptor.raw, .readable)], until: .never)
        let exit = try child.reap()
        return Answer(output: answer, exit: isWhole ? exit : nil)
    }

    private func launch(_ descriptors: [CInt]) throws(SystemError) -> ChildProcess {
        // Its standard output hangs up when nobody reads it any more.
        let isolation = ChildProcess.Isolation(
            hasOwnNetwork: true, user: Sandbox.user, livenessDescriptor: 1)
        do {
            return try launch(descriptors, isApart ? isolation : nil)
        } catch  where error.stage == .clone && error.error.errno == EPERM {
            do { return try launch(descriptors, nil) } catch { throw error.error }
        } catch {
            throw error.error
        }
    }

    private func launch(_ descriptors: [CInt], _ isolation: ChildProcess.Isolation?)
        throws(ChildProcess.LaunchError) -> ChildProcess
    {
        try ChildProcess.launch(
            executable: executable, name: path, arguments: [path], environment: [],
            descriptors: descriptors, isScript: Script(at: path) != nil, isolation: isolation)
    }
}
