internal import Glibc
internal import KernelNetwork
internal import Preferences
internal import SessionHost

/// How verbs come to the firewall of this host.
enum FirewallAccess {
    /// A reader; `nil` where the kernel has no such firewall, and so nothing of it stands.
    static func reader(_ layout: FileLayout) throws(Failure) -> FirewallReader? {
        do throws(NetlinkError) { return try FirewallReader(layout) } catch {
            guard error.errno != EPROTONOSUPPORT else { return nil }
            throw Failure(error)
        }
    }
}
