/// A private key for one handshake, with its public one.
struct EphemeralKey: ~Copyable {
    private let privateKey: SecretKey
    let publicKey: PublicKey
    private let suite: CipherSuite

    init(seed: consuming SecretKey, suite: CipherSuite) {
        publicKey = suite.publicKey(of: seed)
        privateKey = seed
        self.suite = suite
    }

    /// What this key and that of the other side agree on.
    borrowing func agree(with peer: PublicKey) throws(HandshakeError) -> SecretKey {
        let secret = SecretKey()
        let isStrong = suite.agree(
            privateKey: privateKey, publicKey: publicKey, peer: peer, into: secret)
        guard isStrong else { throw .weakPublicKey }
        return secret
    }
}
