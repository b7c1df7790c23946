import Testing

@testable import WireGuard

@Suite("Key agreement")
struct KeyAgreementTests {
    let suite: CipherSuite

    init() throws {
        suite = try CipherSuite()
    }

    private func product(_ scalar: String, _ point: String) -> String? {
        let secret = SecretKey()
        let key = SecretKey(bytes(scalar))
        let isStrong = suite.agree(
            privateKey: key, publicKey: suite.publicKey(of: key), peer: PublicKey(bytes(point)),
            into: secret)
        return isStrong ? hex(secret.revealed) : nil
    }

    @Test("The products of RFC 7748, section 5.2")
    func products() {
        #expect(
            product(
                "a546e36bf0527c9d3b16154b82465edd62144c0ac1fc5a18506a2244ba449ac4",
                "e6db6867583030db3594c1a424b15f7c726624ec26b3353b10a903a6d0ab1c4c")
                == "c3da55379de9c6908e94ea4df28d084f32eccf03491c71f754b4075577a28552")
        #expect(
            product(
                "4b66e9d4d1b4673c5ad22691957d6af5c11b6421e0ea01d42ca4169e7918ba0d",
                "e5210f12786811d3f4b7959d0538ae2c31dbe7106fc03c3efc4cd549c715a493")
                == "95cbde9476e8907d7aade45cb4b873f88b595a68799fa152e6f8f7647aac7957")
    }

    @Test("Bob's side of RFC 7748, section 6.1")
    func agreement() {
        let bob = "5dab087e624a8a4b79e17f8b83800ee66f3bb1292618b6fd1c2f8b27ff88e0eb"
        let alicePublic = "8520f0098930a754748b7ddcb43ef75a0dbf3a0d26381af4eba4a98eaa9b4e6a"
        let bobPublic = "de9edb7d7b7dc1b4d35b61c2ece435373f8343c85b78674dadfc7e146f882b4f"
        let shared = "4a5d9d5ba4ce2de1728e3bf480350f25e07e21c947d19e3376f09b3c1e161742"
        let publicKey = suite.publicKey(of: SecretKey(bytes(bob)))
        #expect(hex(publicKey.revealed) == bobPublic)
        #expect(product(bob, alicePublic) == shared)
    }

    @Test("The bits that X25519 fixes do not make another key")
    func clamping() {
        var bytes = [UInt8](repeating: 0xff, count: 32)
        let before = suite.publicKey(of: SecretKey(bytes))
        bytes[0] &= 0b1111_1000
        bytes[31] &= 0b0111_1111
        let after = suite.publicKey(of: SecretKey(bytes))
        #expect(after == before)
    }

    @Test("A thousand agreements take no memory with them")
    func repetition() {
        let key = SecretKey(repeating: 5)
        let own = suite.publicKey(of: key)
        let secret = SecretKey()
        // The memory that libcrypto keeps private keys in has room for 500 of them.
        for _ in 0..<1000 {
            let isStrong = suite.agree(
                privateKey: key, publicKey: own, peer: own, into: secret)
            #expect(isStrong)
        }
    }
}
