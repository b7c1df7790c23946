/// A first message that its sender has made, perhaps long ago: whether it is new, the
/// timestamp tells to whom keeps the greatest one of each peer.
package struct AuthenticatedInitiation: ~Copyable {
    /// The index of the sender.
    package let sender: UInt32

    /// When the sender says to have made it.
    package let timestamp: TAI64N

    /// Who sent it.
    package let remote: RemoteIdentity

    private let ephemeral: PublicKey
    private var state: SymmetricState

    init(
        sender: UInt32, timestamp: TAI64N, remote: RemoteIdentity, ephemeral: PublicKey,
        state: consuming SymmetricState
    ) {
        self.sender = sender
        self.timestamp = timestamp
        self.remote = remote
        self.ephemeral = ephemeral
        self.state = state
    }

    /// Writes the second message, 92 bytes, without its MACs, and gives the keys it leads to.
    ///
    /// `seed` is 32 random bytes that are used for nothing else.
    package consuming func respond(
        sender: UInt32, seed: consuming SecretKey, writing message: UnsafeMutableRawPointer
    ) throws(HandshakeError) -> TransportKeys {
        typealias Offset = ResponseMessage.Offset
        let own = EphemeralKey(seed: seed, suite: remote.local.suite)
        message.storeLittleEndianWord(ResponseMessage.type, at: 0)
        message.storeLittleEndianWord(sender, at: Offset.sender)
        message.storeLittleEndianWord(self.sender, at: Offset.receiver)
        own.publicKey.write(to: message + Offset.ephemeral)
        state.mixEphemeral(own.publicKey)
        state.mixSecret(try own.agree(with: ephemeral))
        state.mixSecret(try own.agree(with: remote.publicKey))
        let key = state.mixPresharedKeyAndDerive(remote.presharedKey)
        state.seal(key: key, message + Offset.sealedNothing, count: 0)
        return state.split(isInitiator: false)
    }
}
