import CLinux
import Glibc

/// A network namespace, held open.
///
/// What is made in one stays there, whoever uses it later: sockets, netlink sockets, interfaces.
package final class NetworkNamespace {
    /// As /proc names it: `net:[4026531840]`.
    package let identity: String
    private let descriptor: FileDescriptor

    /// The directory of namespaces that have a name, as ip-netns(8) has it.
    package static let directory = "/run/netns"

    /// The one that this process is in.
    package convenience init() throws(SystemError) {
        try self.init(at: "/proc/self/ns/net")
    }

    /// The one that a file leads to.
    package init(at path: String) throws(SystemError) {
        descriptor = try FileDescriptor.open(path, O_RDONLY)
        identity = "net:[\(try descriptor.status(path).st_ino)]"
    }

    /// Goes there; EPERM without CAP_SYS_ADMIN, EINVAL where the file is that of no namespace.
    ///
    /// Corresponds to `setns(2)`. To be called while there is no other thread.
    package func enter() throws(SystemError) {
        let raw = descriptor.raw
        try checkShim("setns", identity) { ut_network_enter(raw) }
    }

    /// Does something there, and comes back.
    package func run<Value, Failure: Error>(_ body: () throws(Failure) -> Value)
        throws(Failure) -> Value
    {
        guard let here = try? NetworkNamespace(), here.identity != identity else {
            return try body()
        }
        // Whoever has come from one of the two can go to both.
        try? enter()
        defer {
            do { try here.enter() } catch {
                preconditionFailure("no way back into \(here.identity): \(error.text)")
            }
        }
        return try body()
    }
}

/// What a process that becomes another program takes with it.
package enum Execution {
    /// Takes a mount namespace of its own, in which files of others stand at these paths.
    ///
    /// Corresponds to `unshare(2)` and `mount(2)`.
    package static func replaceFiles(_ files: [(source: String, target: String)])
        throws(SystemError)
    {
        try checkShim("unshare") { ut_mounts_separate() }
        // Where it may not be mounted anew, it shows the interfaces of before.
        _ = ut_sysfs_renew()
        for file in files {
            try checkShim("mount", file.target) { ut_mount_bind(file.source, file.target) }
        }
    }

    /// Becomes another program, which is looked for as a shell does; comes back only if it fails.
    ///
    /// `mask` is the file mode creation mask that it has.
    ///
    /// Corresponds to `execvp(3)`.
    package static func become(_ arguments: [String], mask: UInt32) -> SystemError {
        let program = arguments.first ?? ""
        let pointers = arguments.map { strdup($0) } + [nil]
        defer { for pointer in pointers { free(pointer) } }
        // What this program ignores the other one is not to ignore.
        signal(SIGPIPE, SIG_DFL)
        umask(mask)
        _ = execvp(program, pointers)
        return SystemError("execvp", program, errno: errno)
    }
}
