import Glibc

extension FileDescriptor {
    /// Gives an open file its final mode and, where there is one, its group.
    ///
    /// An unprivileged owner cannot give a file to a group that it is not in; the mode
    /// then leaves the group out.
    package borrowing func setAccess(mode: UInt32, group: UInt32?, _ subject: String)
        throws(SystemError)
    {
        let raw = raw
        var mode = mode
        if let group, fchown(raw, uid_t.max, group) == -1 {
            mode &= ~0o070
        } else if group == nil {
            mode &= ~0o070
        }
        let final = mode
        _ = try check("fchmod", subject) { fchmod(raw, final) }
    }
}
