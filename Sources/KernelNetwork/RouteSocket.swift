import CNetlink

/// A conversation with the kernel about links, addresses, routes and rules.
///
/// Every answer is the kernel's at the moment of asking: nothing is cached. The socket belongs to
/// the network namespace it was opened in.
package struct RouteSocket: ~Copyable {
    private let conversation: Conversation

    /// Opens a socket.
    ///
    /// Corresponds to `socket(2)` with `NETLINK_ROUTE`.
    package init() throws(NetlinkError) {
        conversation = try Conversation(.route)
    }

    /// Sends one request and takes its answers until it is acknowledged.
    func perform(
        _ message: borrowing Message,
        _ operation: String,
        _ subject: @autoclosure () -> String,
        receive: ((OpaquePointer) -> Void)? = nil
    ) throws(NetlinkError) {
        try conversation.perform(message, operation, subject(), receive: receive)
    }

    /// Asks for many objects, again from the start when they changed meanwhile.
    func dump<Value>(
        _ message: borrowing Message,
        _ operation: String,
        _ subject: @autoclosure () -> String,
        parse: @escaping (OpaquePointer) -> [Value]
    ) throws(NetlinkError) -> [Value] {
        try conversation.dump(message, operation, subject(), parse: parse)
    }

    /// Sends many requests at once, of which only the last asks to be acknowledged.
    ///
    /// - Returns: The refusals, each with the number of its request.
    func perform(
        _ requests: Int,
        _ operation: String,
        build: (_ request: Int, _ flags: CInt, borrowing Message) -> Void
    ) throws(NetlinkError) -> [(request: Int, refusal: Exchange.Refusal)] {
        try conversation.perform(requests, operation, build: build)
    }
}
