/// Puts the MACs on the handshake messages for one peer, and keeps the peer's cookie.
package final class MessageSigner {
    private let remote: RemoteIdentity

    /// The cookie is its first half.
    private let cookie = SecretKey()
    private var cookieTime: UInt64?

    /// MAC1 of the last message, in the first half, which a cookie reply must be bound to.
    private let lastMAC1 = SecretKey()
    private var awaitsReply = false

    /// The signer of messages to this peer.
    package init(for remote: RemoteIdentity) {
        self.remote = remote
    }

    /// Writes MAC1, and MAC2 while there is a cookie, to the end of a handshake message.
    ///
    /// `now` is in nanoseconds of a clock that never goes back.
    package func sign(_ message: UnsafeMutableRawBufferPointer, at now: UInt64) {
        guard let start = message.baseAddress else { return }
        let suite = remote.local.suite
        let first = HandshakeMACs.coveredByMAC1(message.count)
        let second = HandshakeMACs.coveredByMAC2(message.count)
        let bytes = UnsafeRawPointer(start)
        suite.mac(
            key: remote.keys.mac1.bytes, bytes.bytes(at: 0, count: first), into: start + first)
        lastMAC1.storage.copyMemory(from: start + first, byteCount: CipherSuite.macCount)
        awaitsReply = true
        if hasCookie(at: now) {
            suite.mac(
                key: cookie.pointer.bytes(at: 0, count: CipherSuite.macCount),
                bytes.bytes(at: 0, count: second), into: start + second)
        } else {
            UnsafeMutableRawBufferPointer(start: start + second, count: CipherSuite.macCount)
                .initializeMemory(as: UInt8.self, repeating: 0)
        }
    }

    /// Whether MAC2 would be written now.
    package func hasCookie(at now: UInt64) -> Bool {
        guard let cookieTime, now >= cookieTime else { return false }
        return now - cookieTime < HandshakeMACs.lifetimeNanoseconds
    }

    /// Takes the cookie from the answer to the last message; false when it is no such answer.
    package func accept(_ reply: CookieReplyMessage, at now: UInt64) -> Bool {
        guard awaitsReply else { return false }
        let opened = SecretKey()
        opened.storage.copyMemory(
            from: reply.bytes + CookieReplyMessage.Offset.sealedCookie,
            byteCount: CookieReplyMessage.sealedCookieCount)
        let isAuthentic = remote.local.suite.openExtended(
            key: remote.keys.cookie, nonce: reply.bytes + CookieReplyMessage.Offset.nonce,
            additional: lastMAC1.pointer.bytes(at: 0, count: CipherSuite.macCount),
            buffer: opened.storage, count: CookieReplyMessage.sealedCookieCount)
        guard isAuthentic else { return false }
        cookie.storage.copyMemory(from: opened.storage, byteCount: CipherSuite.macCount)
        cookieTime = now
        awaitsReply = false
        return true
    }
}
