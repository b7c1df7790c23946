internal import CCrypto

/// Where the two MACs lie that end both handshake messages.
enum HandshakeMACs {
    /// How many bytes of a message MAC1 covers.
    static func coveredByMAC1(_ count: Int) -> Int { count - 2 * CipherSuite.macCount }

    /// How many bytes of a message MAC2 covers: MAC1 as well.
    static func coveredByMAC2(_ count: Int) -> Int { count - CipherSuite.macCount }

    /// How long a cookie, and the secret it is made of, is good for.
    static let lifetimeNanoseconds: UInt64 = 120_000_000_000

    /// Whether the bytes before `covered` have the MAC that follows them.
    static func isRight(
        _ message: UnsafeRawBufferPointer, covered: Int, key: UnsafeRawBufferPointer,
        suite: CipherSuite
    ) -> Bool {
        withUnsafeTemporaryAllocation(byteCount: CipherSuite.macCount, alignment: 16) { mac in
            guard let expected = mac.baseAddress, let start = message.baseAddress else {
                return false
            }
            suite.mac(key: key, start.bytes(at: 0, count: covered), into: expected)
            return CRYPTO_memcmp(expected, start + covered, CipherSuite.macCount) == 0
        }
    }
}
