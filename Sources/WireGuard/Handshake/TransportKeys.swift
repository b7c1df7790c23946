/// The keys of the session that a handshake led to.
package struct TransportKeys: ~Copyable, Sendable {
    /// The key of what this side sends.
    package let sending: SecretKey

    /// The key of what this side receives.
    package let receiving: SecretKey
}
