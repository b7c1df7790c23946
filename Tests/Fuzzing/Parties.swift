import WireGuard

/// Two devices that know each other, and the messages of one handshake between them.
final class Parties {
    nonisolated(unsafe) static let shared = Parties()

    let initiator: LocalIdentity
    let responder: LocalIdentity
    let toResponder: RemoteIdentity
    let toInitiator: RemoteIdentity
    let checker: CookieChecker
    let signer: MessageSigner
    let handshake: InitiatorHandshake
    let initiation: [UInt8]
    let response: [UInt8]
    let cookieReply: [UInt8]
    let cipher: PacketCipher
    let receivingKey: SecretKey
    let transport: [UInt8]

    private init() {
        do {
            let suite = try CipherSuite()
            initiator = LocalIdentity(privateKey: Self.key(1), suite: suite)
            responder = LocalIdentity(privateKey: Self.key(2), suite: suite)
            toResponder = try RemoteIdentity(
                publicKey: responder.publicKey, presharedKey: Self.key(3), local: initiator)
            toInitiator = try RemoteIdentity(
                publicKey: initiator.publicKey, presharedKey: Self.key(3), local: responder)
            signer = MessageSigner(for: toResponder)
            checker = CookieChecker(local: responder)
            checker.renewSecret(Self.key(4), at: 0)

            let first = Self.buffer(InitiationMessage.byteCount)
            defer { first.deallocate() }
            handshake = try InitiatorHandshake(
                with: toResponder, sender: 1, seed: Self.key(5),
                timestamp: TAI64N(unixNanoseconds: 1), writing: first.baseAddress.unsafelyUnwrapped)
            signer.sign(first, at: 0)
            initiation = Array(first)

            let second = Self.buffer(ResponseMessage.byteCount)
            defer { second.deallocate() }
            guard case .initiation(let view)? = Message(UnsafeRawBufferPointer(first)) else {
                fatalError("the initiation is none")
            }
            let received = try ReceivedInitiation(opening: view, at: responder)
            let authenticated = try received.authenticate(as: toInitiator)
            let keys = try authenticated.respond(
                sender: 2, seed: Self.key(6), writing: second.baseAddress.unsafelyUnwrapped)
            MessageSigner(for: toInitiator).sign(second, at: 0)
            response = Array(second)

            let third = Self.buffer(CookieReplyMessage.byteCount)
            defer { third.deallocate() }
            let nonce = [UInt8](repeating: 7, count: CipherSuite.extendedNonceCount)
            checker.reply(
                to: UnsafeRawBufferPointer(first), sender: 1, from: Self.source,
                nonce: nonce, writing: third.baseAddress.unsafelyUnwrapped)
            cookieReply = Array(third)

            cipher = try PacketCipher()
            receivingKey = keys.sending.copy()
            let text = 96
            let fourth = Self.buffer(TransportMessage.leastByteCount + text)
            defer { fourth.deallocate() }
            let start = fourth.baseAddress.unsafelyUnwrapped
            TransportMessage.writeHeader(receiver: 1, counter: 0, to: start)
            cipher.seal(
                key: receivingKey.pointer, counter: 0,
                buffer: start + TransportMessage.headerCount, count: text)
            transport = Array(fourth)
        } catch {
            fatalError("no parties: \(error)")
        }
    }

    static let source = HandshakeSource(v4: 1, port: 1)

    /// The key of so many bytes of one number.
    static func key(_ number: UInt8) -> SecretKey {
        SecretKey { bytes in
            for index in bytes.indices { bytes[index] = number }
        }
    }

    private static func buffer(_ count: Int) -> UnsafeMutableRawBufferPointer {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 1)
        buffer.initializeMemory(as: UInt8.self, repeating: 0)
        return buffer
    }

    /// Gives `body` the bytes of `original`, those of `input` added to them from the start, and
    /// whether that changed the type or what is covered by a tag: then it must be refused.
    static func change(
        _ original: [UInt8], by input: UnsafeRawBufferPointer, covered: Range<Int>,
        _ body: (UnsafeMutableRawBufferPointer, _ isChanged: Bool) -> Void
    ) {
        let message = UnsafeMutableRawBufferPointer.allocate(
            byteCount: original.count, alignment: 1)
        defer { message.deallocate() }
        message.copyBytes(from: original)
        var isChanged = false
        for index in 0..<min(input.count, original.count) {
            message[index] ^= input[index]
            if input[index] != 0, index < 4 || covered.contains(index) { isChanged = true }
        }
        body(message, isChanged)
    }
}
