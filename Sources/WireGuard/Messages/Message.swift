/// A datagram of the WireGuard protocol, by its type and its exact length.
///
/// The views point into the datagram and are valid as long as it is. What they hold was read
/// from the network and is not authentic yet.
package enum Message {
    /// Somebody begins a handshake.
    case initiation(InitiationMessage)

    /// The answer to an initiation of ours.
    case response(ResponseMessage)

    /// The answer of a peer that is under load to a handshake message of ours.
    case cookieReply(CookieReplyMessage)

    /// A packet, or nothing, in a session.
    case transport(TransportMessage)

    /// Tells what a datagram is; nil for anything that is no message of the protocol.
    package init?(_ datagram: UnsafeRawBufferPointer) {
        guard let start = datagram.baseAddress, datagram.count >= 4 else { return nil }
        switch UInt32(littleEndian: start.loadUnaligned(as: UInt32.self)) {
        case InitiationMessage.type where datagram.count == InitiationMessage.byteCount:
            self = .initiation(InitiationMessage(start))
        case ResponseMessage.type where datagram.count == ResponseMessage.byteCount:
            self = .response(ResponseMessage(start))
        case CookieReplyMessage.type where datagram.count == CookieReplyMessage.byteCount:
            self = .cookieReply(CookieReplyMessage(start))
        case TransportMessage.type where datagram.count >= TransportMessage.leastByteCount:
            self = .transport(TransportMessage(start, count: datagram.count))
        default:
            return nil
        }
    }
}
