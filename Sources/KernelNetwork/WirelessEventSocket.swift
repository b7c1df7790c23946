import CNetlink
import Glibc

/// A subscription to wireless links that come into a network or leave it, for an event loop.
package struct WirelessEventSocket: ~Copyable {
    private let socket: NetlinkSocket

    /// Subscribes; `nil` where the kernel knows of no wireless networks.
    ///
    /// Corresponds to `NETLINK_ADD_MEMBERSHIP` with the group `mlme` of nl80211.
    package static func open() throws(NetlinkError) -> WirelessEventSocket? {
        let conversation = try Conversation(.generic)
        guard let group = try WirelessFamily.find(conversation)?.group else { return nil }
        let socket = try NetlinkSocket(
            .generic, groups: 0, receiveBuffer: 1 << 18, blocking: false)
        var number = CInt(bitPattern: group)
        let size = socklen_t(MemoryLayout<CInt>.size)
        let result = setsockopt(
            socket.fileDescriptor, SOL_NETLINK, NETLINK_ADD_MEMBERSHIP, &number, size)
        let code = errno
        guard result == 0 else {
            throw NetlinkError(
                operation: "listening to wireless networks", subject: "", errno: code)
        }
        return WirelessEventSocket(socket: socket)
    }

    private init(socket: consuming NetlinkSocket) {
        self.socket = socket
    }

    /// The descriptor to wait on; it belongs to the socket.
    package var fileDescriptor: CInt { socket.fileDescriptor }

    /// Empties the queue: what has changed is to be read anew, be it told or lost.
    package func drain() {
        var buffer = [UInt8](repeating: 0, count: 32_768)
        for _ in 0..<1000 {
            let count = recv(
                socket.fileDescriptor, &buffer, buffer.count, CInt(MSG_DONTWAIT))
            let code = errno
            if count < 0, code != ENOBUFS, code != EINTR { return }
        }
    }
}
