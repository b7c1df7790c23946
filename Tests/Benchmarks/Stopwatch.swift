import Glibc
import LinuxSystem
import TestSupport

/// Times programs from their start to their end.
enum Stopwatch {
    /// The milliseconds that a program takes; one that fails is an error.
    static func run(_ arguments: [String]) throws -> Double {
        let executable = try TrustedFile.openExecutable(arguments[0])
        let start = Clock.monotonicNanoseconds
        let child = try ChildProcess.launch(
            executable: executable, name: arguments[0], arguments: arguments,
            environment: ["PATH=/usr/sbin:/usr/bin:/sbin:/bin"], descriptors: [nil, nil, nil])
        _ = try LineClient.wait(
            for: [(child.descriptor.raw, .readable)], until: .after(milliseconds: 60_000))
        let elapsed = Double(Clock.monotonicNanoseconds - start) / 1e6
        guard let exit = try child.reap(), exit == .status(0) else {
            throw Unexpected("\(arguments) failed")
        }
        return elapsed
    }
}
