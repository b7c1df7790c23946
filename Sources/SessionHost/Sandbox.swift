package import LinuxSystem

/// What all processes have in common that are kept apart from the system.
package enum Sandbox {
    /// The environment, in which nothing of the caller's is left.
    package static let environment = ["PATH=/usr/sbin:/usr/bin:/sbin:/bin", "LANG=C.UTF-8"]

    private static let userName = "utunctl-provider"
    /// Where the system does not have the user: Debian and systemd leave 61117 unassigned.
    private static let fallbackUser = Account.User(uid: 61_117, gid: 61_117)

    /// The user that they run as; `nil` where this process can become no other: without
    /// privileges, or in a user namespace that has only one user.
    package static var user: Account.User? {
        guard Account.effectiveUser == 0 else { return nil }
        let user = Account.user(named: userName) ?? fallbackUser
        return Account.isMapped(uid: user.uid) ? user : nil
    }
}
