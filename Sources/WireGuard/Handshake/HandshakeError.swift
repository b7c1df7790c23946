/// Why a handshake message was refused.
package enum HandshakeError: Error, Equatable, Sendable {
    /// A public key of low order, with which every private key agrees on nothing.
    case weakPublicKey

    /// The message was not made by somebody who has the right keys, or was changed on its way.
    case notAuthentic
}
