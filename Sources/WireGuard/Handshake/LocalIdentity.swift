/// The own keys of a device, with what follows from them alone.
package final class LocalIdentity {
    /// The algorithms, which belong to the thread that uses this identity.
    package let suite: CipherSuite

    /// The public key, by which peers know this device.
    package let publicKey: PublicKey

    let privateKey: SecretKey
    let keys: RecipientKeys

    /// The identity with this private key.
    package init(privateKey: consuming SecretKey, suite: CipherSuite) {
        self.suite = suite
        publicKey = suite.publicKey(of: privateKey)
        keys = RecipientKeys(of: publicKey, suite: suite)
        self.privateKey = privateKey
    }

    /// Whether this is its private key.
    package func hasPrivateKey(_ key: borrowing SecretKey) -> Bool { privateKey.matches(key) }

    /// What the private key and the public key of somebody else agree on.
    func agree(with peer: PublicKey) throws(HandshakeError) -> SecretKey {
        let secret = SecretKey()
        let isStrong = suite.agree(
            privateKey: privateKey, publicKey: publicKey, peer: peer, into: secret)
        guard isStrong else { throw .weakPublicKey }
        return secret
    }
}
