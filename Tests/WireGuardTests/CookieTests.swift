import Testing

@testable import WireGuard

@Suite("Cookies")
struct CookieTests {
    private static let second: UInt64 = 1_000_000_000
    private static let source = HandshakeSource(v4: 0xc000_0207, port: 51820)

    private let session: Session
    private let checker: CookieChecker
    private let signer: MessageSigner

    init() throws {
        session = try Session()
        checker = CookieChecker(local: session.responder)
        signer = MessageSigner(for: session.toResponder)
    }

    private func check(
        _ message: [UInt8], from source: HandshakeSource = Self.source, at now: UInt64 = 0
    ) -> CookieChecker.Verdict {
        message.withUnsafeBytes { checker.check($0, from: source, at: now) }
    }

    private func reply(
        to message: [UInt8], from source: HandshakeSource = Self.source
    ) -> [UInt8] {
        let nonce = [UInt8](repeating: 0x77, count: CipherSuite.extendedNonceCount)
        var reply = [UInt8](repeating: 0xff, count: CookieReplyMessage.byteCount)
        reply.withUnsafeMutableBytes { reply in
            message.withUnsafeBytes { message in
                checker.reply(
                    to: message, sender: 0x0102_0304, from: source, nonce: nonce,
                    writing: reply.baseAddress.unsafelyUnwrapped)
            }
        }
        return reply
    }

    private func sign(_ message: [UInt8], at now: UInt64) -> [UInt8] {
        var message = message
        message.withUnsafeMutableBytes { signer.sign($0, at: now) }
        return message
    }

    private func accept(_ reply: [UInt8], at now: UInt64) -> Bool {
        reply.withUnsafeBytes { buffer in
            guard case .cookieReply(let view)? = Message(buffer) else { return false }
            return signer.accept(view, at: now)
        }
    }

    @Test("MAC1 is right in messages for us, and in no other")
    func mac1() throws {
        #expect(check(Golden.initiation) == .withoutCookie)
        let elsewhere = CookieChecker(local: session.initiator)
        let isTheirs = Golden.initiation.withUnsafeBytes { elsewhere.hasMAC1($0) }
        #expect(!isTheirs)
        let isAnswer = Golden.response.withUnsafeBytes { elsewhere.hasMAC1($0) }
        #expect(isAnswer)
    }

    @Test("Every changed byte before MAC2 makes MAC1 wrong")
    func mangledMAC1() {
        for index in 0..<132 {
            var mangled = Golden.initiation
            mangled[index] ^= 1
            #expect(check(mangled) == .wrong, "byte \(index)")
        }
    }

    @Test("A cookie reply of fixed keys has the bytes that another implementation writes")
    func goldenReply() {
        checker.renewSecret(SecretKey(repeating: 0x66), at: 0)
        #expect(hex(reply(to: Golden.initiation)) == hex(Golden.cookieReply))
    }

    @Test("Who got the reply puts the cookie on its next message, for two minutes")
    func roundTrip() {
        checker.renewSecret(SecretKey(repeating: 0x66), at: 0)
        let bare = sign(Golden.initiation, at: 0)
        #expect(check(bare) == .withoutCookie)
        #expect(!signer.hasCookie(at: 0))
        #expect(accept(Golden.cookieReply, at: Self.second))
        #expect(signer.hasCookie(at: Self.second))
        let signed = sign(bare, at: Self.second)
        #expect(hex(signed) == hex(Golden.initiationWithCookie))
        #expect(check(signed, at: 119 * Self.second) == .withCookie)
        #expect(hex(sign(bare, at: 120 * Self.second)) == hex(Golden.initiationWithCookie))
        #expect(hex(sign(bare, at: 121 * Self.second)) == hex(Golden.initiation))
    }

    @Test("A cookie is worth nothing from another address or another port")
    func otherSource() {
        checker.renewSecret(SecretKey(repeating: 0x66), at: 0)
        let message = Golden.initiationWithCookie
        #expect(check(message) == .withCookie)
        #expect(
            check(message, from: HandshakeSource(v4: 0xc000_0208, port: 51820)) == .withoutCookie)
        #expect(
            check(message, from: HandshakeSource(v4: 0xc000_0207, port: 51821)) == .withoutCookie)
        #expect(
            check(message, from: HandshakeSource(v6: 0xc000_0207, port: 51820)) == .withoutCookie)
    }

    @Test("The cookie of an IPv6 source is made of its 16 bytes and the port")
    func v6() {
        checker.renewSecret(SecretKey(repeating: 0x66), at: 0)
        let source = HandshakeSource(v6: 0x2001_0db8_0000_0001_0000_0000_0000_0002, port: 51820)
        // The cookie itself, as Python computes it, is the key of MAC2.
        let cookie = bytes("84f4193d74c2c426f6e6e73bf001e5d8")
        var message = Golden.initiation
        message.withUnsafeMutableBytes { message in
            let start = message.baseAddress.unsafelyUnwrapped
            cookie.withUnsafeBytes {
                session.suite.mac(
                    key: $0, UnsafeRawPointer(start).bytes(at: 0, count: 132),
                    into: start + 132)
            }
        }
        #expect(check(message, from: source) == .withCookie)
    }

    @Test("A cookie ends with the secret it was made of")
    func rotation() {
        #expect(checker.needsSecret(at: 0))
        checker.renewSecret(SecretKey(repeating: 0x66), at: 0)
        #expect(!checker.needsSecret(at: 120 * Self.second - 1))
        #expect(checker.needsSecret(at: 120 * Self.second))
        #expect(check(Golden.initiationWithCookie, at: 120 * Self.second - 1) == .withCookie)
        #expect(check(Golden.initiationWithCookie, at: 120 * Self.second) == .withoutCookie)
        checker.renewSecret(SecretKey(repeating: 0x67), at: 60 * Self.second)
        #expect(check(Golden.initiationWithCookie, at: 61 * Self.second) == .withoutCookie)
    }

    @Test("A reply to nothing, to another message, or a second time is refused")
    func unexpectedReply() {
        checker.renewSecret(SecretKey(repeating: 0x66), at: 0)
        #expect(!accept(Golden.cookieReply, at: 0))
        var other = Golden.initiation
        other[4] ^= 1
        _ = sign(other, at: 0)
        #expect(!accept(Golden.cookieReply, at: 0))
        _ = sign(Golden.initiation, at: 0)
        #expect(accept(Golden.cookieReply, at: 0))
        #expect(!accept(Golden.cookieReply, at: 0))
    }

    @Test(
        "Every changed byte of a reply behind its index is refused, and the right one still taken")
    func mangledReply() {
        _ = sign(Golden.initiation, at: 0)
        for index in 8..<64 {
            var mangled = Golden.cookieReply
            mangled[index] ^= 1
            #expect(!accept(mangled, at: 0), "byte \(index)")
        }
        #expect(!signer.hasCookie(at: 0))
        #expect(accept(Golden.cookieReply, at: 0))
    }
}
