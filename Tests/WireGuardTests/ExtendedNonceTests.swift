import Testing

@testable import WireGuard

@Suite("Extended nonces")
struct ExtendedNonceTests {
    private static let key = Array(UInt8(0x80)...0x9f)
    private static let nonce = Array(UInt8(0x40)...0x57)
    private static let additional = bytes("50515253c0c1c2c3c4c5c6c7")
    private static let sealed = bytes(
        """
        bd6d179d3e83d43b9576579493c0e939572a1700252bfaccbed2902c21396cbb
        731c7f1b0b4aa6440bf3a82f4eda7e39ae64c6708c54c216cb96b72e1213b452
        2f8c9ba40db5d945b11b69b982c1bb9e3f3fac2bc369488f76b2383565d3fff9
        21f9664c97637da9768812f615c68b13b52e
        c0875924c1c7987947deafd8780acf49
        """)

    @Test("HChaCha20 of draft-irtf-cfrg-xchacha, section 2.2.1")
    func subkey() {
        let subkey = CipherSuite.subkey(
            SecretKey(Array(0..<32)), nonce: bytes("000000090000004a0000000031415927"))
        #expect(
            hex(subkey.revealed)
                == "82413b4227b27bfed30e42508a877d73a0f9e4d58a74a853c12ec41326d3ecdc")
    }

    @Test("XChaCha20-Poly1305 of draft-irtf-cfrg-xchacha, appendix A.3.1")
    func example() throws {
        let suite = try CipherSuite()
        var buffer = Sunscreen.text + [UInt8](repeating: 0, count: sealedTagCount)
        let isAuthentic = buffer.withUnsafeMutableBytes { buffer in
            Self.additional.withUnsafeBytes { additional in
                let start = buffer.baseAddress.unsafelyUnwrapped
                suite.sealExtended(
                    key: SecretKey(Self.key), nonce: Self.nonce, additional: additional,
                    buffer: start, count: Sunscreen.text.count)
                #expect(hex(buffer) == hex(Self.sealed))
                return suite.openExtended(
                    key: SecretKey(Self.key), nonce: Self.nonce, additional: additional,
                    buffer: start, count: buffer.count)
            }
        }
        #expect(isAuthentic)
        #expect(Array(buffer.prefix(Sunscreen.text.count)) == Sunscreen.text)
    }

    @Test("Every byte of the nonce counts")
    func nonce() throws {
        let suite = try CipherSuite()
        for index in Self.nonce.indices {
            var nonce = Self.nonce
            nonce[index] ^= 1
            var buffer = Self.sealed
            let isAuthentic = buffer.withUnsafeMutableBytes { buffer in
                Self.additional.withUnsafeBytes {
                    suite.openExtended(
                        key: SecretKey(Self.key), nonce: nonce, additional: $0,
                        buffer: buffer.baseAddress.unsafelyUnwrapped, count: buffer.count)
                }
            }
            #expect(!isAuthentic, "byte \(index)")
        }
    }
}
