/// What everybody can compute from the public key of whom a handshake message is for.
struct RecipientKeys: ~Copyable {
    /// The key of MAC1.
    let mac1 = SecretKey()

    /// The key in which cookie replies are sealed.
    let cookie = SecretKey()

    init(of publicKey: PublicKey, suite: CipherSuite) {
        publicKey.withBytes { bytes in
            let key = UnsafeRawBufferPointer(start: bytes, count: PublicKey.byteCount)
            suite.hash(label: "mac1----", key, into: mac1.storage)
            suite.hash(label: "cookie--", key, into: cookie.storage)
        }
    }
}
