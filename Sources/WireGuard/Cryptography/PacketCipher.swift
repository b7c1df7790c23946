#if canImport(CIPsecMB)
    /// ChaCha20-Poly1305 by the library that does it fastest on this architecture.
    package typealias PacketCipher = IPsecMBCipher
#else
    /// ChaCha20-Poly1305 by the library that does it fastest on this architecture.
    package typealias PacketCipher = LibcryptoCipher
#endif

/// How many bytes a sealed text is longer than its plain text.
package let sealedTagCount = 16
