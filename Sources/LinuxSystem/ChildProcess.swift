import CLinux
import Glibc

/// A child process, watched and signalled by its pidfd.
package struct ChildProcess: ~Copyable {
    /// How a child is kept apart from the rest of the system.
    package struct Isolation: Sendable {
        /// Whether it has an empty network namespace of its own.
        package var hasOwnNetwork: Bool
        /// The user that it becomes; `nil` keeps the one it has.
        package var user: Account.User?
        /// The number, in the child, of the channel whose other end is ours: the child ends
        /// by it if we are gone before it watches for that.
        package var livenessDescriptor: CInt
        /// How many bytes it may at least keep out of the swap, as far as this can be granted.
        package var lockableBytes: UInt64

        package init(
            hasOwnNetwork: Bool,
            user: Account.User?,
            livenessDescriptor: CInt,
            lockableBytes: UInt64 = 0
        ) {
            self.hasOwnNetwork = hasOwnNetwork
            self.user = user
            self.livenessDescriptor = livenessDescriptor
            self.lockableBytes = lockableBytes
        }
    }

    /// How a child ended.
    package enum Exit: Equatable, Sendable {
        case status(CInt)
        case signal(CInt)

        /// How it ended, to stand behind a subject: `exited with status 1`.
        package var text: String {
            switch self {
            case .status(let status): return "exited with status \(status)"
            case .signal(let signal):
                let name = ut_signal_name(signal).map { "SIG\(String(cString: $0))" }
                return "was ended by signal \(signal) (\(name ?? "unknown"))"
            }
        }
    }

    /// A child that did not come to run its program.
    package struct LaunchError: Error, Equatable, Sendable {
        /// Where it failed.
        package enum Stage: Sendable {
            case clone, descriptors, privileges, parent, exec
        }

        package let stage: Stage
        package let error: SystemError
    }

    package let pid: Int32
    /// Readable when the child has ended.
    package let descriptor: FileDescriptor

    /// Starts a program; to be called from the main thread, as PDEATHSIG follows the thread.
    ///
    /// `executable` is an O_PATH descriptor, so that what was checked is what runs; errors call
    /// it `name`. `descriptors` are the child's from 0 on, `nil` being /dev/null. Of a script
    /// the interpreter opens the executable again, which has to stay open for that.
    package static func launch(
        executable: borrowing FileDescriptor,
        name: String,
        arguments: [String],
        environment: [String],
        descriptors: [CInt?],
        isScript: Bool = false,
        inNewSession: Bool = false,
        isolation: Isolation? = nil
    ) throws(LaunchError) -> ChildProcess {
        var how = ut_spawn()
        how.executable = executable.raw
        how.new_session = inNewSession
        how.keep_executable_open = isScript
        how.isolate = isolation != nil
        how.isolate_network = isolation?.hasOwnNetwork ?? false
        how.change_user = isolation?.user != nil
        how.uid = isolation?.user?.uid ?? 0
        how.gid = isolation?.user?.gid ?? 0
        how.liveness = isolation?.livenessDescriptor ?? -1
        how.locked_memory = isolation?.lockableBytes ?? 0
        how.open_files = UInt64(max(1024, descriptors.count * 2 + 16))
        var pidfd: CInt = -1
        var stage = UT_SPAWN_CLONE
        let raw = descriptors.map { $0 ?? -1 }
        let pid = withCStrings(arguments) { argv in
            withCStrings(environment) { envp in
                raw.withUnsafeBufferPointer { buffer in
                    how.argv = argv
                    how.envp = envp
                    how.descriptors = buffer.baseAddress
                    how.descriptor_count = buffer.count
                    return ut_spawn(&how, &pidfd, &stage)
                }
            }
        }
        guard pid > 0 else {
            let error = SystemError(call(of: stage), name, errno: CInt(-pid))
            throw LaunchError(stage: self.stage(stage), error: error)
        }
        return ChildProcess(pid: pid, descriptor: FileDescriptor(taking: pidfd))
    }

    /// Sends a signal, if the child still runs.
    ///
    /// Corresponds to `pidfd_send_signal(2)`.
    package borrowing func signal(_ signal: CInt) {
        _ = ut_pidfd_signal(descriptor.raw, signal)
    }

    /// How the child ended, or `nil` while it runs.
    ///
    /// Corresponds to `waitid(P_PIDFD)`.
    package borrowing func reap() throws(SystemError) -> Exit? {
        var status: CInt = 0
        let raw = descriptor.raw
        guard try checkShim("waitid", "", { ut_pidfd_reap(raw, &status) }) == 1 else { return nil }
        return status & 0x7F == 0 ? .status(status >> 8 & 0xFF) : .signal(status & 0x7F)
    }

    private static func withCStrings<Result>(
        _ strings: [String],
        _ body: (UnsafePointer<UnsafePointer<CChar>?>?) -> Result
    ) -> Result {
        let copies = strings.map { strdup($0) }
        defer { copies.forEach { free($0) } }
        let pointers = copies.map { UnsafePointer($0) } + [nil]
        return pointers.withUnsafeBufferPointer { body($0.baseAddress) }
    }

    private static func stage(_ stage: ut_spawn_stage) -> LaunchError.Stage {
        switch stage {
        case UT_SPAWN_DESCRIPTORS: .descriptors
        case UT_SPAWN_PRIVILEGES: .privileges
        case UT_SPAWN_PARENT: .parent
        case UT_SPAWN_EXEC: .exec
        default: .clone
        }
    }

    private static func call(of stage: ut_spawn_stage) -> String {
        switch stage {
        case UT_SPAWN_DESCRIPTORS: "handing descriptors to"
        case UT_SPAWN_PRIVILEGES: "giving up privileges for"
        case UT_SPAWN_PARENT: "watching the parent of"
        case UT_SPAWN_EXEC: "execveat"
        default: "clone"
        }
    }
}

/// A process that is not ours to reap.
package struct OtherProcess: ~Copyable {
    /// Readable when the process has ended.
    package let descriptor: FileDescriptor

    /// Takes hold of a process, so that its number cannot come to mean another one.
    package init(pid: Int32) throws(SystemError) {
        descriptor = FileDescriptor(
            taking: try checkShim("pidfd_open", "\(pid)") { ut_pidfd_open(pid) })
    }

    /// Sends a signal.
    ///
    /// Corresponds to `pidfd_send_signal(2)`.
    package borrowing func signal(_ signal: CInt) throws(SystemError) {
        let raw = descriptor.raw
        try checkShim("pidfd_send_signal") { ut_pidfd_signal(raw, signal) }
    }
}
