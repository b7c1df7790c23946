internal import LinuxSystem

/// One run of a program of the system, watched by the loop: it never holds up the session.
///
/// What it prints is read when it has ended: more than a pipe holds is no answer of such a
/// program, and ends by the time-out.
final class HelperRun {
    /// What it printed, or why it failed, with the last words that it said.
    typealias Outcome = Result<String, Failure>

    /// Why a program did not do what it was run for.
    struct Failure: Error, Equatable, Sendable {
        let text: String
    }

    private static let longestOutput = 1 << 16
    private static let environment =
        Sandbox.environment + ["SYSTEMD_COLORS=0", "SYSTEMD_PAGER=", "COLUMNS=65535"]

    private let loop: EventLoop
    private let name: String
    private let output: FileDescriptor
    private let errors: FileDescriptor
    private var child: ChildProcess?
    private let watched: CInt
    private var timer: EventLoop.Timer?
    private let completion: (Outcome) -> Void

    /// Starts a program; `completion` is called once, unless the run goes before.
    ///
    /// A failure to start it is told in the same way, when the loop comes round.
    static func start(
        _ program: String,
        _ arguments: [String],
        milliseconds: Int64,
        on loop: EventLoop,
        completion: @escaping (Outcome) -> Void
    ) -> HelperRun? {
        do throws(SystemError) {
            return try HelperRun(program, arguments, milliseconds, loop, completion)
        } catch {
            let failure = Failure(text: error.text)
            loop.schedule(milliseconds: 0) { completion(.failure(failure)) }
            return nil
        }
    }

    private init(
        _ program: String,
        _ arguments: [String],
        _ milliseconds: Int64,
        _ loop: EventLoop,
        _ completion: @escaping (Outcome) -> Void
    ) throws(SystemError) {
        let executable: FileDescriptor
        do { executable = try TrustedFile.openExecutable(program) } catch {
            switch error {
            case .system(let error): throw error
            case .unsafe: throw SystemError("running", program, errno: 1)
            }
        }
        let output = try Pipe(nonblockingEnd: true)
        let errors = try Pipe(nonblockingEnd: true)
        let child: ChildProcess
        do {
            child = try ChildProcess.launch(
                executable: executable, name: program, arguments: [program] + arguments,
                environment: Self.environment,
                descriptors: [nil, output.writing.raw, errors.writing.raw],
                isScript: Script(at: program) != nil)
        } catch {
            throw error.error
        }
        self.output = output.keepReading()
        self.errors = errors.keepReading()
        watched = child.descriptor.raw
        self.child = consume child
        self.loop = loop
        self.completion = completion
        name = ([program] + arguments).joined(separator: " ")
        try loop.add(watched) { [weak self] _ in self?.reap() }
        timer = loop.schedule(milliseconds: milliseconds) { [weak self] in
            self?.end(.failure(Failure(text: "\(self?.name ?? program): no answer")))
        }
    }

    deinit {
        stop()
    }

    private func reap() {
        let exit: ChildProcess.Exit?
        do throws(SystemError) { exit = try child?.reap() } catch {
            return end(.failure(Failure(text: "\(name): \(error.text)")))
        }
        guard let exit else { return }
        loop.remove(watched)
        child = nil
        guard exit == .status(0) else {
            let words = Self.text(errors).split(whereSeparator: \.isNewline).last ?? ""
            let said = words.isEmpty ? "" : ": \(String(words).madePrintable(limit: 256))"
            return end(.failure(Failure(text: "\(name) \(exit.text)\(said)")))
        }
        end(.success(Self.text(output)))
    }

    private func end(_ outcome: Outcome) {
        stop()
        completion(outcome)
    }

    private func stop() {
        loop.cancel(timer)
        timer = nil
        guard let child = child.take() else { return }
        loop.remove(watched)
        loop.end(child)
    }

    private static func text(_ pipe: borrowing FileDescriptor) -> String {
        var bytes: [UInt8] = []
        while bytes.count < longestOutput, let part = try? pipe.read(atMost: 4096), !part.isEmpty {
            bytes += part
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
