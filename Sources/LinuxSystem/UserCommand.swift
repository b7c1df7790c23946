import CLinux
import Glibc

/// A command of the user's, run beside this process and of its job.
package struct UserCommand: ~Copyable {
    private let child: ChildProcess

    /// Readable when it has ended.
    package var descriptor: CInt { child.descriptor.raw }

    /// Why a program cannot be run, as an errno, as far as it can be told before it is; `nil`
    /// where nothing is known against it.
    ///
    /// It is looked for as `execvp(3)` does.
    package static func problem(of program: String) -> CInt? {
        guard !program.isEmpty else { return ENOENT }
        if program.utf8.contains(UInt8(ascii: "/")) { return problem(ofFile: program) }
        let path = getenv("PATH").map { String(cString: $0) } ?? "/bin:/usr/bin"
        var found = ENOENT
        for place in path.split(separator: ":", omittingEmptySubsequences: false) {
            let problem = problem(ofFile: "\(place.isEmpty ? "." : place)/\(program)")
            if problem == nil { return nil }
            if problem == EACCES { found = EACCES }
        }
        return found
    }

    private static func problem(ofFile path: String) -> CInt? {
        var status = stat()
        guard stat(path, &status) == 0 else { return errno }
        guard status.st_mode & S_IFMT == S_IFREG else { return EACCES }
        return faccessat(AT_FDCWD, path, X_OK, AT_EACCESS) == 0 ? nil : errno
    }

    /// Starts a command with all that the caller of this process has.
    ///
    /// `signals` were blocked here, and are not for it; `mask` is its file mode creation mask.
    package init(_ arguments: [String], unblocking signals: [CInt], mask: UInt32)
        throws(SystemError)
    {
        let copies = arguments.map { strdup($0) }
        defer { for copy in copies { free(copy) } }
        let pointers = copies.map { UnsafePointer($0) } + [nil]
        let pid = try checkShim("execvp", arguments.first ?? "") {
            ut_command_start(pointers, signals, signals.count, mask)
        }
        child = ChildProcess(
            pid: pid,
            descriptor: FileDescriptor(
                taking: try checkShim("pidfd_open", "\(pid)") { ut_pidfd_open(pid) }))
    }

    /// Sends it a signal, if it still runs.
    package borrowing func signal(_ signal: CInt) { child.signal(signal) }

    /// Whether what the terminal sends to this process comes to it too.
    package var isOfOurJob: Bool { getpgid(child.pid) == getpgrp() }

    /// Its exit status once it has ended, 128 and the number of the signal that ended it.
    package borrowing func statusIfEnded() throws(SystemError) -> Int32? {
        switch try child.reap() {
        case .status(let status)?: status
        case .signal(let signal)?: 128 + signal
        case nil: nil
        }
    }

    /// Ends this process, without anything more.
    package static func endProcess(_ status: Int32) -> Never { exit(status) }
}
