import Glibc
package import JSON
import LinuxSystem
import TunnelModel

/// One run of a program that was built beside the tests, to its end.
package struct ProgramRun: Sendable {
    /// Its exit status; 128 and the signal where it was ended by one.
    package let status: Int32
    package let output: String
    package let errors: String

    /// Runs `utunctl` below a root.
    package init(
        _ arguments: [String],
        root: TemporaryRoot,
        input: String? = nil
    ) throws {
        self = try RunningProgram(["--root", root.path] + arguments, input: input).finish()
    }

    /// What was printed, as JSON.
    package var json: JSONObject? {
        try? JSONDocument(parsing: output.utf8).withRoot { $0.value.object }
    }
}

/// A program that was started and may still run.
package final class RunningProgram {
    private let child: ChildProcess
    private let output: FileDescriptor
    private let errors: FileDescriptor

    /// Starts a program; what it prints goes to files without names.
    package init(
        _ arguments: [String],
        program: String = "utunctl",
        input: String? = nil,
        environment: [String] = []
    ) throws {
        output = try Self.file()
        errors = try Self.file()
        let given = try Self.file()
        if let input { try given.write(Array(input.utf8)) }
        lseek(given.raw, 0, SEEK_SET)
        child = try ChildProcess.launch(
            executable: try FileDescriptor.open(Self.directory + "/" + program, O_RDONLY),
            name: program, arguments: [program] + arguments, environment: environment,
            descriptors: [input == nil ? nil : given.raw, output.raw, errors.raw])
    }

    /// Sends a signal.
    package func signal(_ signal: CInt) { child.signal(signal) }

    /// Waits for the end.
    package func finish() throws -> ProgramRun {
        var exit = try child.reap()
        while exit == nil {
            _ = try LineClient.wait(
                for: [(child.descriptor.raw, .readable)], until: .after(milliseconds: 60_000))
            exit = try child.reap()
        }
        let status: Int32 =
            switch exit {
            case .status(let status)?: status
            case .signal(let signal)?: 128 + signal
            case nil: -1
            }
        return ProgramRun(
            status: status, output: try Self.text(output), errors: try Self.text(errors))
    }

    /// The directory of what was built.
    package static var directory: String {
        AtomicFile.split(Directory.linkTarget("/proc/self/exe") ?? "").directory
    }

    private static func file() throws(SystemError) -> FileDescriptor {
        let path = "/tmp/utunctl-test.\(Identifier.make(from: Random.bytes(16)))"
        let file = try FileDescriptor.open(path, O_RDWR | O_CREAT | O_EXCL, mode: 0o600)
        unlink(path)
        return file
    }

    private static func text(_ file: borrowing FileDescriptor) throws -> String {
        lseek(file.raw, 0, SEEK_SET)
        return String(decoding: try file.readAll(limit: 1 << 28), as: UTF8.self)
    }
}

extension ProgramRun {
    fileprivate init(status: Int32, output: String, errors: String) {
        self.status = status
        self.output = output
        self.errors = errors
    }
}
