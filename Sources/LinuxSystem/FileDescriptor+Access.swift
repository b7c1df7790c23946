import CLinux
import Glibc

extension FileDescriptor {
    /// Gives an open file its final mode and, where there is one, its group.
    ///
    /// An unprivileged owner cannot give a file to a group that it is not in; the group that
    /// the file then has may do no more than everybody.
    package borrowing func setAccess(mode: UInt32, group: UInt32?, _ subject: String)
        throws(SystemError)
    {
        let raw = raw
        let hasGroup = group.map { fchown(raw, uid_t.max, $0) == 0 } ?? false
        let final = hasGroup ? mode : mode & (0o7707 | (mode & 0o007) << 3)
        _ = try check("fchmod", subject) { fchmod(raw, final) }
    }

    /// Lets this process have at least so many descriptors, as far as it may.
    ///
    /// Corresponds to `setrlimit(2)` with RLIMIT_NOFILE.
    package static func makeRoom(for count: Int) {
        ut_open_files_raise(UInt64(count))
    }
}
