import CNetlink
import Glibc

/// A subscription to changes of the network, for an event loop.
///
/// Open it before reading the state that it shall keep up to date, or a change in between is lost.
package struct NetworkEventSocket: ~Copyable {
    private let socket: NetlinkSocket
    private let callbacks: Callbacks<[NetworkEvent]>

    /// Subscribes to these groups.
    ///
    /// Corresponds to `bind(2)` with the groups' bits. `receiveBuffer` is how many bytes of events
    /// may wait; without CAP_NET_ADMIN the kernel may grant fewer.
    package init(
        _ groups: NetworkEventGroups = .all,
        receiveBuffer: CInt = 4 << 20
    ) throws(NetlinkError) {
        let socket = try NetlinkSocket(
            groups: groups.rawValue,
            receiveBuffer: receiveBuffer,
            blocking: false
        )
        let callbacks = try Callbacks<[NetworkEvent]>(writingTo: [])
        // Events carry the sequence number of whoever caused them.
        callbacks.set(NL_CB_SEQ_CHECK) { _, _ in Verdict.proceed }
        callbacks.set(NL_CB_VALID) { message, events in
            if let message {
                events?.assumingMemoryBound(to: [NetworkEvent].self).pointee
                    .append(contentsOf: NetworkEvent.events(message))
            }
            return Verdict.proceed
        }
        self.socket = socket
        self.callbacks = callbacks
    }

    /// The descriptor to wait on; it belongs to the socket.
    package var fileDescriptor: CInt { socket.fileDescriptor }

    /// Takes the events that wait, without blocking.
    ///
    /// Where very many wait, it takes some and the descriptor stays readable, so that a flood of
    /// events does not hold up an event loop. After a loss it is `overflow` alone: what came before
    /// and after it is in the state that has to be read anew anyway.
    package func read() throws(NetlinkError) -> [NetworkEvent] {
        var hasLost = false
        callbacks.state.pointee.removeAll(keepingCapacity: true)
        var messages = 0
        while hasLost || messages < 1000 {
            messages += 1
            if hasLost { callbacks.state.pointee.removeAll(keepingCapacity: true) }
            let result = nl_recvmsgs(socket.raw, callbacks.raw)
            guard result < 0 else { continue }
            switch NetlinkSocket.errorNumber(ofReceiving: result) {
            case EAGAIN: return hasLost ? [.overflow] : callbacks.state.pointee
            case ENOBUFS, EMSGSIZE: hasLost = true
            case let code:
                throw NetlinkError(operation: "reading network events", subject: "", errno: code)
            }
        }
        return callbacks.state.pointee
    }
}
