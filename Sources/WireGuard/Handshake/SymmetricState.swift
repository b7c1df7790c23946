/// What both sides of a handshake know at the same point of it: the chaining key and the
/// transcript hash of the Noise specification (section 5.2).
struct SymmetricState: ~Copyable {
    private let suite: CipherSuite
    private let chainingKey: SecretKey
    private let hash: SecretKey

    /// The state before the first message to the one with this public key.
    init(responder: PublicKey, suite: CipherSuite) {
        self.suite = suite
        chainingKey = SecretKey()
        hash = SecretKey()
        suite.hash(label: "Noise_IKpsk2_25519_ChaChaPoly_BLAKE2s", into: chainingKey.storage)
        let identifier: StaticString = "WireGuard v1 zx2c4 Jason@zx2c4.com"
        identifier.withUTF8Buffer {
            suite.hash(chainingKey.bytes, UnsafeRawBufferPointer($0), into: hash.storage)
        }
        responder.withBytes {
            let key = UnsafeRawBufferPointer(start: $0, count: PublicKey.byteCount)
            suite.hash(hash.bytes, key, into: hash.storage)
        }
    }

    private init(copying other: borrowing SymmetricState) {
        suite = other.suite
        chainingKey = other.chainingKey.copy()
        hash = other.hash.copy()
    }

    /// A second state, which may go on while this one stays.
    borrowing func copy() -> SymmetricState {
        SymmetricState(copying: self)
    }

    /// Adds what was sent in the clear, or sealed, to the transcript.
    mutating func mix(_ bytes: UnsafeRawBufferPointer) {
        suite.hash(hash.bytes, bytes, into: hash.storage)
    }

    /// Adds an ephemeral public key to the transcript and to the chaining key.
    mutating func mixEphemeral(_ key: PublicKey) {
        key.withBytes { bytes in
            let bytes = UnsafeRawBufferPointer(start: bytes, count: PublicKey.byteCount)
            suite.deriveKeys(chainingKey: chainingKey, input: bytes, chainingKey)
            suite.hash(hash.bytes, bytes, into: hash.storage)
        }
    }

    /// Adds an agreed secret to the chaining key.
    mutating func mixSecret(_ secret: borrowing SecretKey) {
        suite.deriveKeys(chainingKey: chainingKey, input: secret.bytes, chainingKey)
    }

    /// Adds an agreed secret to the chaining key and derives the key of the next sealed text.
    mutating func mixSecretAndDerive(_ secret: borrowing SecretKey) -> SecretKey {
        let key = SecretKey()
        suite.deriveKeys(chainingKey: chainingKey, input: secret.bytes, chainingKey, key)
        return key
    }

    /// Adds the preshared key and derives the key of the next sealed text.
    mutating func mixPresharedKeyAndDerive(_ presharedKey: borrowing SecretKey) -> SecretKey {
        let key = SecretKey()
        let addition = SecretKey()
        suite.deriveKeys(
            chainingKey: chainingKey, input: presharedKey.bytes, chainingKey, addition, key)
        mix(addition.bytes)
        return key
    }

    /// Seals `count` bytes where they lie, bound to the transcript, and adds them to it.
    mutating func seal(key: borrowing SecretKey, _ text: UnsafeMutableRawPointer, count: Int) {
        suite.seal(key: key, counter: 0, additional: hash.bytes, buffer: text, count: count)
        mix(UnsafeRawBufferPointer(start: text, count: count + sealedTagCount))
    }

    /// Opens a sealed text, gives it to `body`, and adds it to the transcript.
    mutating func open<Result>(
        key: borrowing SecretKey, _ sealed: UnsafeRawBufferPointer,
        _ body: (UnsafeRawPointer) -> Result
    ) throws(HandshakeError) -> Result {
        let result: Result? = withUnsafeTemporaryAllocation(
            byteCount: sealed.count, alignment: 8
        ) { text in
            text.copyMemory(from: sealed)
            guard let start = text.baseAddress,
                suite.open(
                    key: key, counter: 0, additional: hash.bytes, buffer: start,
                    count: sealed.count)
            else { return nil }
            return body(start)
        }
        guard let result else { throw .notAuthentic }
        mix(sealed)
        return result
    }

    /// The keys of the session as one of both sides has them.
    consuming func split(isInitiator: Bool) -> TransportKeys {
        let initiator = SecretKey()
        let responder = SecretKey()
        let nothing = UnsafeRawBufferPointer(start: nil, count: 0)
        suite.deriveKeys(chainingKey: chainingKey, input: nothing, initiator, responder)
        return isInitiator
            ? TransportKeys(sending: initiator, receiving: responder)
            : TransportKeys(sending: responder, receiving: initiator)
    }
}
