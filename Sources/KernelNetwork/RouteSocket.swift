import CNetlink

/// A conversation with the kernel about links, addresses, routes and rules.
///
/// Every answer is the kernel's at the moment of asking: nothing is cached. The socket belongs to
/// the network namespace it was opened in.
package struct RouteSocket: ~Copyable {
    let conversation: Conversation

    /// Opens a socket.
    ///
    /// Corresponds to `socket(2)` with `NETLINK_ROUTE`.
    package init() throws(NetlinkError) {
        conversation = try Conversation(.route)
    }
}
