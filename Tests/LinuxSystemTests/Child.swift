import Glibc
import LinuxSystem

/// What a child wrote and how it ended.
struct ChildResult {
    var output = ""
    var exit: ChildProcess.Exit?

    /// The lines of the output.
    var lines: [String] { output.split(separator: "\n").map(String.init) }

    /// The value of a line `Key:\tvalue` as /proc/PID/status has them.
    func value(_ key: String) -> String? {
        lines.first { $0.hasPrefix("\(key):") }.map { line in
            line.dropFirst(key.utf8.count + 1).split(whereSeparator: \.isWhitespace)
                .joined(separator: " ")
        }
    }
}

/// Children as the tests start them.
enum Child {
    /// A user that no system has.
    static let user = Account.User(uid: 61_117, gid: 61_118)

    /// Whether this process may make namespaces and change to any user.
    static let isPrivileged = geteuid() == 0 && Account.isMapped(uid: user.uid)

    /// Runs a program to its end; its standard output is read, `further` follow from 3 on.
    static func run(
        _ path: String,
        _ arguments: [String] = [],
        environment: [String] = [],
        further: [CInt] = [],
        isScript: Bool = false,
        inNewSession: Bool = false,
        isolation: ChildProcess.Isolation? = nil
    ) throws -> ChildResult {
        let output = try Pipe()
        let executable = try FileDescriptor.open(path, O_RDONLY)
        let child = try ChildProcess.launch(
            executable: executable, name: path, arguments: [path] + arguments,
            environment: environment,
            descriptors: [nil, output.writing.raw, output.writing.raw] + further,
            isScript: isScript, inNewSession: inNewSession, isolation: isolation)
        let reading = output.keepReading()
        var result = ChildResult()
        result.output = String(
            decoding: try reading.readAll(limit: 1 << 20), as: UTF8.self)
        result.exit = try wait(for: child)
        return result
    }

    /// Runs a shell script to its end.
    static func shell(
        _ script: String,
        environment: [String] = ["PATH=/usr/bin:/bin"],
        further: [CInt] = [],
        isolation: ChildProcess.Isolation? = nil
    ) throws -> ChildResult {
        try run(
            "/bin/sh", ["-c", script], environment: environment, further: further,
            isolation: isolation)
    }

    /// Waits for the end of a child for at most ten seconds, then kills it.
    static func wait(for child: borrowing ChildProcess) throws -> ChildProcess.Exit? {
        let raw = child.descriptor.raw
        let deadline = Deadline.after(milliseconds: 10_000)
        if try LineClient.wait(for: [(raw, .readable)], until: deadline).isEmpty {
            child.signal(SIGKILL)
            _ = try LineClient.wait(for: [(raw, .readable)], until: .never)
            _ = try child.reap()
            return nil
        }
        return try child.reap()
    }

    /// The error of a program that does not come to run.
    static func failure(
        _ path: String,
        isScript: Bool = false,
        further: [CInt] = [],
        isolation: ChildProcess.Isolation? = nil
    ) throws -> ChildProcess.LaunchError? {
        let executable = try FileDescriptor.open(path, O_RDONLY)
        do throws(ChildProcess.LaunchError) {
            let child = try ChildProcess.launch(
                executable: executable, name: path, arguments: [path], environment: [],
                descriptors: [nil, nil, nil] + further, isScript: isScript,
                isolation: isolation)
            child.signal(SIGKILL)
            _ = try? wait(for: child)
            return nil
        } catch {
            return error
        }
    }
}
