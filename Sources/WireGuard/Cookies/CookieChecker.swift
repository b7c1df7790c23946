/// Checks the MACs of the handshake messages that a device gets, and makes cookie replies.
package final class CookieChecker {
    /// What the MACs of a message tell.
    package enum Verdict: Equatable, Sendable {
        /// The sender does not know our public key: no answer, whatever the load.
        case wrong

        /// The sender knows our public key, and perhaps not what is sent to where it claims to be.
        case withoutCookie

        /// The sender was sent a cookie at its address within the last two minutes.
        case withCookie
    }

    private let local: LocalIdentity
    private var secret = SecretKey()
    private var secretTime: UInt64?

    /// The checker of messages to this device.
    package init(local: LocalIdentity) {
        self.local = local
    }

    /// Whether `renewSecret` is due before a cookie can be made: there is none yet, or it is old.
    ///
    /// `now` is in nanoseconds of a clock that never goes back, here and below.
    package func needsSecret(at now: UInt64) -> Bool {
        guard let secretTime, now >= secretTime else { return true }
        return now - secretTime >= HandshakeMACs.lifetimeNanoseconds
    }

    /// Makes cookies of another secret, 32 random bytes, and ends all earlier ones.
    package func renewSecret(_ secret: consuming SecretKey, at now: UInt64) {
        self.secret = secret
        secretTime = now
    }

    /// Looks at the MACs of an initiation or a response that came from `source`.
    package func check(
        _ message: UnsafeRawBufferPointer, from source: HandshakeSource, at now: UInt64
    ) -> Verdict {
        guard hasMAC1(message) else { return .wrong }
        guard !needsSecret(at: now) else { return .withoutCookie }
        let cookie = SecretKey()
        makeCookie(for: source, into: cookie.storage)
        let isRight = HandshakeMACs.isRight(
            message, covered: HandshakeMACs.coveredByMAC2(message.count),
            key: cookie.pointer.bytes(at: 0, count: CipherSuite.macCount), suite: local.suite)
        return isRight ? .withCookie : .withoutCookie
    }

    /// Whether the sender of an initiation or a response knows our public key: all there is to
    /// check while there is no load.
    package func hasMAC1(_ message: UnsafeRawBufferPointer) -> Bool {
        HandshakeMACs.isRight(
            message, covered: HandshakeMACs.coveredByMAC1(message.count),
            key: local.keys.mac1.bytes, suite: local.suite)
    }

    /// Writes the cookie reply, 64 bytes, to a message whose MAC1 is right.
    ///
    /// `sender` is the index in the message, `nonce` 24 random bytes.
    package func reply(
        to message: UnsafeRawBufferPointer, sender: UInt32, from source: HandshakeSource,
        nonce: UnsafeRawPointer, writing reply: UnsafeMutableRawPointer
    ) {
        typealias Offset = CookieReplyMessage.Offset
        guard let start = message.baseAddress else { return }
        precondition(secretTime != nil)
        reply.storeLittleEndianWord(CookieReplyMessage.type, at: 0)
        reply.storeLittleEndianWord(sender, at: Offset.receiver)
        (reply + Offset.nonce).copyMemory(
            from: nonce, byteCount: CipherSuite.extendedNonceCount)
        makeCookie(for: source, into: reply + Offset.sealedCookie)
        local.suite.sealExtended(
            key: local.keys.cookie, nonce: nonce,
            additional: start.bytes(
                at: HandshakeMACs.coveredByMAC1(message.count), count: CipherSuite.macCount),
            buffer: reply + Offset.sealedCookie, count: CipherSuite.macCount)
    }

    private func makeCookie(for source: HandshakeSource, into cookie: UnsafeMutableRawPointer) {
        source.withBytes { local.suite.mac(key: secret.bytes, $0, into: cookie) }
    }
}
