import Glibc
import LinuxSystem

/// A program that a test has started.
package final class Command {
    /// What a program came to.
    package struct Result: Equatable, Sendable, CustomStringConvertible {
        package let status: Int32
        package let output: String
        package let errors: String

        package var description: String {
            "status \(status)\n--- stdout\n\(output)\n--- stderr\n\(errors)"
        }
    }

    package let pid: Int32
    private let child: ChildProcess
    private let output: FileDescriptor
    private let errors: FileDescriptor
    private var outputBytes: [UInt8] = []
    private var errorBytes: [UInt8] = []
    private var status: Int32?

    /// Starts a program, found in PATH unless it is a path, with standard input from `input`.
    package init(
        _ arguments: [String],
        environment: [String: String] = [:],
        input: String? = nil
    ) throws {
        let path = Self.find(arguments[0])
        let executable = try TrustedFile.openExecutable(path)
        let output = try Pipe(nonblockingEnd: true)
        let errors = try Pipe(nonblockingEnd: true)
        let source = try input.map { text -> FileDescriptorBox in
            let pipe = try Pipe()
            let box = FileDescriptorBox(try pipe.reading.duplicate())
            try pipe.writing.write(Array(text.utf8))
            return box
        }
        var variables = [
            "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
            "LANG": "C.UTF-8",
        ]
        variables.merge(environment) { $1 }
        let child = try ChildProcess.launch(
            executable: executable, name: path, arguments: arguments,
            environment: variables.map { "\($0.key)=\($0.value)" }.sorted(),
            descriptors: [source?.raw, output.writing.raw, errors.writing.raw],
            isScript: Script(at: path) != nil
        )
        pid = child.pid
        self.child = child
        self.output = output.keepReading()
        self.errors = errors.keepReading()
    }

    /// Runs a program to its end; one that takes longer than `seconds` is killed.
    package static func run(
        _ arguments: [String],
        environment: [String: String] = [:],
        input: String? = nil,
        seconds: Int64 = 60
    ) throws -> Result {
        try Command(arguments, environment: environment, input: input).finish(seconds: seconds)
    }

    /// Sends a signal.
    package func signal(_ signal: CInt) {
        child.signal(signal)
    }

    /// Waits for the end; a program that takes longer than `seconds` is killed.
    package func finish(seconds: Int64 = 60) throws -> Result {
        let deadline = Deadline.after(milliseconds: seconds * 1000)
        while true {
            if let status = try statusIfEnded() {
                drain()
                return Result(
                    status: status, output: String(decoding: outputBytes, as: UTF8.self),
                    errors: String(decoding: errorBytes, as: UTF8.self))
            }
            let ready = try LineClient.wait(
                for: [child.descriptor.raw, output.raw, errors.raw].map { ($0, .readable) },
                until: deadline)
            if ready.isEmpty { child.signal(SIGKILL) }
            drain()
        }
    }

    /// The exit status of a program that has ended, 128 and the number of the signal that ended
    /// it; `nil` while it runs.
    package func statusIfEnded() throws -> Int32? {
        if let status { return status }
        guard let exit = try child.reap() else { return nil }
        switch exit {
        case .status(let number): status = number
        case .signal(let signal): status = 128 + signal
        }
        return status
    }

    /// What it has said on standard error so far.
    package var errorsSoFar: String {
        get throws {
            drain()
            return String(decoding: errorBytes, as: UTF8.self)
        }
    }

    /// The standard output so far, once it holds `text` or `seconds` have gone by.
    package func output(until text: String, seconds: Int64 = 10) throws -> String {
        let deadline = Deadline.after(milliseconds: seconds * 1000)
        while true {
            drain()
            let soFar = String(decoding: outputBytes, as: UTF8.self)
            if soFar.contains(text) || deadline.hasPassed { return soFar }
            _ = try LineClient.wait(for: [(output.raw, .readable)], until: deadline)
            usleep(2000)
        }
    }

    private func drain() {
        while let bytes = try? output.read(atMost: 65_536), !bytes.isEmpty { outputBytes += bytes }
        while let bytes = try? errors.read(atMost: 65_536), !bytes.isEmpty { errorBytes += bytes }
    }

    private static func find(_ program: String) -> String {
        guard !program.contains("/") else { return program }
        return ["/usr/sbin", "/usr/bin", "/sbin", "/bin", "/usr/local/bin"]
            .map { "\($0)/\(program)" }.first { access($0, X_OK) == 0 } ?? program
    }
}

extension String {
    /// Whether the text holds another: without Foundation and without regular expressions.
    package func contains(_ other: String) -> Bool {
        guard !other.isEmpty else { return true }
        let bytes = Array(utf8)
        let wanted = Array(other.utf8)
        guard bytes.count >= wanted.count else { return false }
        return (0...(bytes.count - wanted.count)).contains { start in
            bytes[start..<(start + wanted.count)].elementsEqual(wanted)
        }
    }
}
