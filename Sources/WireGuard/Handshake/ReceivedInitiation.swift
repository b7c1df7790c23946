/// A first message that was sealed to this device, and who says to have sent it.
package struct ReceivedInitiation: ~Copyable {
    /// The index of the sender.
    package let sender: UInt32

    /// Whose message it claims to be: nothing proves that yet.
    package let claimedKey: PublicKey

    private let ephemeral: PublicKey
    private let sealedTimestamp: UnsafeRawBufferPointer
    private var state: SymmetricState

    /// Opens the key of the sender; `message` must last until `authenticate` is done.
    package init(opening message: InitiationMessage, at local: LocalIdentity)
        throws(HandshakeError)
    {
        typealias Offset = InitiationMessage.Offset
        let ephemeral = PublicKey(message.bytes + Offset.ephemeral)
        var state = SymmetricState(responder: local.publicKey, suite: local.suite)
        state.mixEphemeral(ephemeral)
        let key = state.mixSecretAndDerive(try local.agree(with: ephemeral))
        claimedKey = try state.open(
            key: key,
            message.bytes.bytes(
                at: Offset.sealedStatic, count: InitiationMessage.sealedStaticCount)
        ) { PublicKey($0) }
        self.ephemeral = ephemeral
        self.state = state
        sender = message.sender
        sealedTimestamp = message.bytes.bytes(
            at: Offset.sealedTimestamp, count: InitiationMessage.sealedTimestampCount)
    }

    /// Proves that `remote`, the peer with the claimed key, made the message.
    package consuming func authenticate(as remote: RemoteIdentity) throws(HandshakeError)
        -> AuthenticatedInitiation
    {
        guard remote.publicKey == claimedKey else { throw .notAuthentic }
        let key = state.mixSecretAndDerive(remote.staticSecret)
        let timestamp = try state.open(key: key, sealedTimestamp) { TAI64N($0) }
        return AuthenticatedInitiation(
            sender: sender, timestamp: timestamp, remote: remote, ephemeral: ephemeral,
            state: state)
    }
}
