/// A handshake that this side began, from its first message to the keys of the session.
package final class InitiatorHandshake {
    /// With whom.
    package let remote: RemoteIdentity

    /// The index of this side, which the response repeats.
    package let sender: UInt32

    private let ephemeral: EphemeralKey
    private let state: SymmetricState

    /// Writes the first message, 148 bytes, without its MACs (`MessageSigner` adds them).
    ///
    /// `seed` is 32 random bytes that are used for nothing else.
    package init(
        with remote: RemoteIdentity, sender: UInt32, seed: consuming SecretKey, timestamp: TAI64N,
        writing message: UnsafeMutableRawPointer
    ) throws(HandshakeError) {
        typealias Offset = InitiationMessage.Offset
        let local = remote.local
        let ephemeral = EphemeralKey(seed: seed, suite: local.suite)
        var state = SymmetricState(responder: remote.publicKey, suite: local.suite)

        message.storeLittleEndianWord(InitiationMessage.type, at: 0)
        message.storeLittleEndianWord(sender, at: Offset.sender)
        ephemeral.publicKey.write(to: message + Offset.ephemeral)
        state.mixEphemeral(ephemeral.publicKey)

        let staticKey = state.mixSecretAndDerive(try ephemeral.agree(with: remote.publicKey))
        local.publicKey.write(to: message + Offset.sealedStatic)
        state.seal(
            key: staticKey, message + Offset.sealedStatic, count: PublicKey.byteCount)

        let timestampKey = state.mixSecretAndDerive(remote.staticSecret)
        timestamp.write(to: message + Offset.sealedTimestamp)
        state.seal(
            key: timestampKey, message + Offset.sealedTimestamp, count: TAI64N.byteCount)

        self.remote = remote
        self.sender = sender
        self.ephemeral = ephemeral
        self.state = state
    }

    /// The keys that the response leads to.
    ///
    /// A response that is refused leaves the handshake as it was: anybody can send one.
    package func finish(with response: ResponseMessage) throws(HandshakeError) -> TransportKeys {
        typealias Offset = ResponseMessage.Offset
        var state = state.copy()
        let other = PublicKey(response.bytes + Offset.ephemeral)
        state.mixEphemeral(other)
        state.mixSecret(try ephemeral.agree(with: other))
        state.mixSecret(try remote.local.agree(with: other))
        let key = state.mixPresharedKeyAndDerive(remote.presharedKey)
        try state.open(
            key: key, response.bytes.bytes(at: Offset.sealedNothing, count: sealedTagCount)
        ) { _ in }
        return state.split(isInitiator: true)
    }
}
