internal import LinuxSystem

/// One run of a program of the system, watched by the loop: it never holds up the session.
///
/// What it prints is read when it has ended: more than a pipe holds is no answer of such a
/// program, and ends by the time-out.
final class HelperRun {
    /// What it printed, or why it failed.
    typealias Outcome = Result<String, Failure>

    /// Why a program did not do what it was run for.
    enum Failure: Error, Equatable, Sendable {
        case unusable(path: String, problem: String)
        case system(SystemError)
        /// It did not come to its end in time.
        case silent(command: String)
        /// It ended otherwise than well; with the lines that it said.
        case failed(command: String, ending: String, said: [String])

        /// What is wrong, on one line.
        var text: String {
            switch self {
            case .unusable(let path, let problem): "\(path): \(problem)"
            case .system(let error): error.text
            case .silent(let command): "\(command): no answer"
            case .failed(let command, let ending, let said):
                "\(command) \(ending)\(said.last.map { ": \($0)" } ?? "")"
            }
        }
    }

    private static let longestOutput = 1 << 16
    private static let environment =
        Sandbox.environment + ["SYSTEMD_COLORS=0", "SYSTEMD_PAGER=", "COLUMNS=65535"]

    private let loop: EventLoop
    private let command: String
    private let output: FileDescriptor
    private let errors: FileDescriptor
    private var child: ChildProcess?
    private let watched: CInt
    private var timer: EventLoop.Timer?
    private let completion: (Outcome) -> Void

    /// Starts a program with `input` to read; `completion` is called once, on the loop, unless
    /// the run goes before.
    init(
        _ program: String,
        _ arguments: [String],
        input: String? = nil,
        milliseconds: Int64,
        on loop: EventLoop,
        completion: @escaping (Outcome) -> Void
    ) throws(Failure) {
        let executable: FileDescriptor
        do { executable = try TrustedFile.openExecutable(program) } catch {
            throw .unusable(path: program, problem: error.problem)
        }
        do throws(SystemError) {
            let source = try input.map { (text) throws(SystemError) in
                FileDescriptorBox(try FileDescriptor.inMemory("input", Array(text.utf8)))
            }
            let output = try Pipe(nonblockingEnd: true)
            let errors = try Pipe(nonblockingEnd: true)
            let child: ChildProcess
            do {
                child = try ChildProcess.launch(
                    executable: executable, name: program, arguments: [program] + arguments,
                    environment: Self.environment,
                    descriptors: [source?.raw, output.writing.raw, errors.writing.raw],
                    isScript: Script(at: program) != nil)
            } catch {
                throw error.error
            }
            self.output = output.keepReading()
            self.errors = errors.keepReading()
            watched = child.descriptor.raw
            self.child = consume child
        } catch {
            throw .system(error)
        }
        self.loop = loop
        self.completion = completion
        command = ([program] + arguments).joined(separator: " ")
        do throws(SystemError) {
            try loop.add(watched) { [weak self] _ in self?.reap() }
        } catch {
            throw .system(error)
        }
        timer = loop.schedule(milliseconds: milliseconds) { [weak self] in
            guard let self else { return }
            end(.failure(.silent(command: command)))
        }
    }

    /// Starts a program; a failure of that is told in the same way as its own, when the loop
    /// comes round.
    static func start(
        _ program: String,
        _ arguments: [String],
        milliseconds: Int64,
        on loop: EventLoop,
        completion: @escaping (Outcome) -> Void
    ) -> HelperRun? {
        do throws(Failure) {
            return try HelperRun(
                program, arguments, milliseconds: milliseconds, on: loop, completion: completion)
        } catch {
            loop.schedule(milliseconds: 0) { completion(.failure(error)) }
            return nil
        }
    }

    /// Runs a program to its end, where no loop runs yet or any more; answers what it printed.
    @discardableResult
    static func finish(
        _ program: String,
        _ arguments: [String],
        input: String? = nil,
        milliseconds: Int64
    ) throws(Failure) -> String {
        var outcome: Outcome?
        do throws(SystemError) {
            let loop = try EventLoop()
            let run = Result { () throws(Failure) in
                try HelperRun(
                    program, arguments, input: input, milliseconds: milliseconds, on: loop
                ) {
                    outcome = $0
                    loop.stop()
                }
            }
            switch run {
            case .failure(let failure): outcome = .failure(failure)
            case .success(let run):
                try withExtendedLifetime(run) { () throws(SystemError) in
                    try loop.run()
                }
            }
        } catch {
            throw .system(error)
        }
        guard let outcome else { throw .silent(command: program) }
        return try outcome.get()
    }

    deinit {
        stop()
    }

    private func reap() {
        let exit: ChildProcess.Exit?
        do throws(SystemError) { exit = try child?.reap() } catch {
            return end(.failure(.system(error)))
        }
        guard let exit else { return }
        loop.remove(watched)
        child = nil
        guard exit != .status(0) else { return end(.success(Self.text(output))) }
        let said = Self.text(errors).split(whereSeparator: \.isNewline)
            .map { String($0).madePrintable(limit: 512) }
        end(.failure(.failed(command: command, ending: exit.text, said: said)))
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
