/// The keys of a peer as one device knows them, with what follows from them.
package final class RemoteIdentity {
    /// The device this peer belongs to.
    package let local: LocalIdentity

    /// The public key, by which the peer is known.
    package let publicKey: PublicKey

    let presharedKey: SecretKey
    let keys: RecipientKeys

    /// What both private keys agree on, the same in each handshake.
    let staticSecret: SecretKey

    /// The peer with this public key, and a preshared key of zeros where none was agreed.
    package init(
        publicKey: PublicKey, presharedKey: consuming SecretKey = SecretKey(), local: LocalIdentity
    ) throws(HandshakeError) {
        staticSecret = try local.agree(with: publicKey)
        self.local = local
        self.publicKey = publicKey
        self.presharedKey = presharedKey
        keys = RecipientKeys(of: publicKey, suite: local.suite)
    }
}
