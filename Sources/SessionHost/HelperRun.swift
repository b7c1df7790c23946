internal import Glibc
package import LinuxSystem

/// One run of a program of the system, watched by the loop: it never holds up the session.
///
/// What goes to it and what it prints lies in memory and pipes alone.
package final class HelperRun {
    /// What it printed, or why it failed.
    package typealias Outcome = Result<[UInt8], Failure>

    /// Why a program did not do what it was run for.
    package enum Failure: Error, Equatable, Sendable {
        case unusable(path: String, problem: String)
        case system(SystemError)
        /// It did not come to its end in time.
        case silent(command: String)
        /// It printed more than any answer is long.
        case excessive(command: String)
        /// It ended otherwise than well; with the lines that it said.
        case failed(command: String, ending: String, said: [String])

        /// What is wrong, on one line.
        package var text: String {
            switch self {
            case .unusable(let path, let problem): "\(path): \(problem)"
            case .system(let error): error.text
            case .silent(let command): "\(command): no answer"
            case .excessive(let command): "\(command): more than an answer"
            case .failed(let command, let ending, let said):
                "\(command) \(ending)\(said.last.map { ": \($0)" } ?? "")"
            }
        }
    }

    /// What the answers of most programs stay far below.
    package static let usualLimit = 1 << 16
    private static let environment =
        Sandbox.environment + ["SYSTEMD_COLORS=0", "SYSTEMD_PAGER=", "COLUMNS=65535"]

    private let loop: EventLoop
    private let command: String
    private let limit: Int
    private let output: FileDescriptor
    private let errors: FileDescriptor
    private var child: ChildProcess?
    private let watched: CInt
    private var timer: EventLoop.Timer?
    private var printed: [UInt8] = []
    private let completion: (Outcome) -> Void

    /// Starts a program with `inputs` to read, the first on its standard input and the others on
    /// descriptors from 3 on; `completion` is called once, on the loop, unless the run goes
    /// before.
    ///
    /// With an `isolation` it runs in that where this process may do so, else as all others.
    package init(
        _ program: String,
        _ arguments: [String],
        inputs: [[UInt8]] = [],
        limit: Int = usualLimit,
        isolation: ChildProcess.Isolation? = nil,
        milliseconds: Int64,
        on loop: EventLoop,
        completion: @escaping (Outcome) -> Void
    ) throws(Failure) {
        let executable: FileDescriptor
        do { executable = try TrustedFile.openExecutable(program) } catch {
            throw .unusable(path: program, problem: error.problem)
        }
        do throws(SystemError) {
            let sources = try inputs.map { (bytes) throws(SystemError) in
                FileDescriptorBox(try FileDescriptor.inMemory("input", bytes))
            }
            let output = try Pipe(nonblockingEnd: true)
            let errors = try Pipe(nonblockingEnd: true)
            let child = try Self.launch(
                executable, program, arguments,
                [sources.first?.raw, output.writing.raw, errors.writing.raw]
                    + sources.dropFirst().map(\.raw), isolation)
            // Until here: their numbers alone would keep none of them open.
            withExtendedLifetime(sources) {}
            self.output = output.keepReading()
            self.errors = errors.keepReading()
            watched = child.descriptor.raw
            self.child = consume child
        } catch {
            throw .system(error)
        }
        self.loop = loop
        self.limit = limit
        self.completion = completion
        command = ([program] + arguments).joined(separator: " ")
        do throws(SystemError) {
            try loop.add(watched) { [weak self] _ in self?.reap() }
            try loop.add(self.output.raw) { [weak self] _ in self?.readOutput() }
        } catch {
            throw .system(error)
        }
        timer = loop.schedule(milliseconds: milliseconds) { [weak self] in
            guard let self else { return }
            end(.failure(.silent(command: command)))
        }
    }

    private static func launch(
        _ executable: borrowing FileDescriptor,
        _ program: String,
        _ arguments: [String],
        _ descriptors: [CInt?],
        _ isolation: ChildProcess.Isolation?
    ) throws(SystemError) -> ChildProcess {
        do {
            return try ChildProcess.launch(
                executable: executable, name: program, arguments: [program] + arguments,
                environment: environment, descriptors: descriptors,
                isScript: Script(at: program) != nil, isolation: isolation)
        } catch  where error.stage == .clone && error.error.errno == EPERM && isolation != nil {
            return try launch(executable, program, arguments, descriptors, nil)
        } catch {
            throw error.error
        }
    }

    /// Starts a program; a failure of that is told in the same way as its own, when the loop
    /// comes round.
    package static func start(
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
    package static func finish(
        _ program: String,
        _ arguments: [String],
        inputs: [[UInt8]] = [],
        limit: Int = usualLimit,
        isolation: ChildProcess.Isolation? = nil,
        milliseconds: Int64
    ) throws(Failure) -> [UInt8] {
        var outcome: Outcome?
        do throws(SystemError) {
            let loop = try EventLoop()
            let run = Result { () throws(Failure) in
                try HelperRun(
                    program, arguments, inputs: inputs, limit: limit, isolation: isolation,
                    milliseconds: milliseconds, on: loop
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
        // What it printed last may still be in the pipe.
        guard collect() else { return end(.failure(.excessive(command: command))) }
        guard exit != .status(0) else { return end(.success(printed)) }
        let said = String(decoding: Self.rest(of: errors, atMost: Self.usualLimit), as: UTF8.self)
            .split(whereSeparator: \.isNewline)
            .map { String($0).madePrintable(limit: 512) }
        end(.failure(.failed(command: command, ending: exit.text, said: said)))
    }

    private func readOutput() {
        if !collect() { end(.failure(.excessive(command: command))) }
    }

    /// Takes what it has printed meanwhile; whether that is still within the limit.
    private func collect() -> Bool {
        let rest = Self.rest(of: output, atMost: limit + 1 - printed.count)
        // The end of a pipe is ready for ever.
        if rest.isEmpty { loop.remove(output.raw) }
        printed += rest
        return printed.count <= limit
    }

    private func end(_ outcome: Outcome) {
        stop()
        completion(outcome)
    }

    private func stop() {
        loop.cancel(timer)
        timer = nil
        loop.remove(output.raw)
        guard let child = child.take() else { return }
        loop.remove(watched)
        loop.end(child)
    }

    private static func rest(of pipe: borrowing FileDescriptor, atMost limit: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < limit,
            let part = try? pipe.read(atMost: min(65_536, limit - bytes.count)),
            !part.isEmpty
        {
            bytes += part
        }
        return bytes
    }
}
