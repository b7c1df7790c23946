@testable import WireGuard

/// Two devices with fixed keys and the messages between them.
struct Session {
    static let initiatorKey: UInt8 = 0x11
    static let responderKey: UInt8 = 0x22
    static let presharedKey: UInt8 = 0x33
    static let initiatorSeed: UInt8 = 0x44
    static let responderSeed: UInt8 = 0x55
    static let timestamp = TAI64N(unixNanoseconds: 1_700_000_000_123_456_789)

    let suite: CipherSuite
    let initiator: LocalIdentity
    let responder: LocalIdentity
    let toResponder: RemoteIdentity
    let toInitiator: RemoteIdentity

    init(
        presharedKey: UInt8 = Self.presharedKey, presharedKeyThere: UInt8 = Self.presharedKey
    ) throws {
        suite = try CipherSuite()
        initiator = LocalIdentity(
            privateKey: SecretKey(repeating: Self.initiatorKey), suite: suite)
        responder = LocalIdentity(
            privateKey: SecretKey(repeating: Self.responderKey), suite: suite)
        toResponder = try RemoteIdentity(
            publicKey: responder.publicKey, presharedKey: SecretKey(repeating: presharedKey),
            local: initiator)
        toInitiator = try RemoteIdentity(
            publicKey: initiator.publicKey, presharedKey: SecretKey(repeating: presharedKeyThere),
            local: responder)
    }

    /// Begins a handshake; the message has its MACs.
    func begin(at now: UInt64 = 0) throws -> (handshake: InitiatorHandshake, message: [UInt8]) {
        var message = [UInt8](repeating: 0xff, count: InitiationMessage.byteCount)
        let handshake = try message.withUnsafeMutableBytes { buffer in
            let handshake = try InitiatorHandshake(
                with: toResponder, sender: 0x0102_0304,
                seed: SecretKey(repeating: Self.initiatorSeed), timestamp: Self.timestamp,
                writing: buffer.baseAddress.unsafelyUnwrapped)
            MessageSigner(for: toResponder).sign(buffer, at: now)
            return handshake
        }
        return (handshake, message)
    }

    /// What the responder makes of an initiation: its response and its keys.
    func answer(_ initiation: [UInt8], as remote: RemoteIdentity? = nil) throws
        -> (message: [UInt8], keys: Keys)
    {
        try initiation.withUnsafeBytes { initiation in
            guard case .initiation(let view)? = Message(initiation) else {
                throw HandshakeError.notAuthentic
            }
            let received = try ReceivedInitiation(opening: view, at: responder)
            let authenticated = try received.authenticate(as: remote ?? toInitiator)
            let start = UnsafeMutableRawPointer.allocate(
                byteCount: ResponseMessage.byteCount, alignment: 1)
            defer { start.deallocate() }
            let buffer = UnsafeMutableRawBufferPointer(
                start: start, count: ResponseMessage.byteCount)
            let keys = try authenticated.respond(
                sender: 0x0506_0708, seed: SecretKey(repeating: Self.responderSeed),
                writing: start)
            MessageSigner(for: toInitiator).sign(buffer, at: 0)
            return (Array(buffer), Keys(keys))
        }
    }

    /// What the initiator makes of a response.
    func finish(_ handshake: InitiatorHandshake, _ response: [UInt8]) throws -> Keys {
        try response.withUnsafeBytes { buffer in
            guard case .response(let view)? = Message(buffer) else {
                throw HandshakeError.notAuthentic
            }
            return Keys(try handshake.finish(with: view))
        }
    }

    /// The keys of a session, to compare.
    struct Keys: Equatable {
        var sending: [UInt8]
        var receiving: [UInt8]

        init(_ keys: borrowing TransportKeys) {
            sending = keys.sending.revealed
            receiving = keys.receiving.revealed
        }

        init(sending: String, receiving: String) {
            self.sending = bytes(sending)
            self.receiving = bytes(receiving)
        }
    }
}
