import Testing

@testable import WireGuard

@Suite("Hashes and derived keys")
struct HashTests {
    let suite: CipherSuite

    init() throws {
        suite = try CipherSuite()
    }

    private func hash(_ first: [UInt8], _ second: [UInt8] = []) -> String {
        let result = SecretKey()
        first.withUnsafeBytes { first in
            second.withUnsafeBytes { suite.hash(first, $0, into: result.storage) }
        }
        return hex(result.revealed)
    }

    @Test("BLAKE2s-256 of RFC 7693, of nothing and of several blocks")
    func blake2s() {
        #expect(
            hash(Array("abc".utf8))
                == "508c5e8c327c14e2e1a72ba34eeb452f37458b209ed63a294d999b4c86675982")
        #expect(
            hash([]) == "69217a3079908094e11121d042354a7c1f55b6482ca1a51e1b250dfd1ed0eef9")
        #expect(
            hash(Array(0..<200))
                == "6d244e1a06ce4ef578dd0f63aff0936706735119ca9c8d22d86c801414ab9741")
    }

    @Test("Two texts are hashed as one")
    func twoTexts() {
        let text = [UInt8](0..<200)
        for split in [0, 1, 63, 64, 65, 199, 200] {
            #expect(hash(Array(text.prefix(split)), Array(text.dropFirst(split))) == hash(text))
        }
    }

    @Test("HMAC-BLAKE2s as Python computes it")
    func hmac() {
        let code = SecretKey()
        Array("Hi There".utf8).withUnsafeBytes {
            suite.authenticationCode(key: SecretKey(repeating: 0x0b), $0, into: code.storage)
        }
        #expect(
            hex(code.revealed)
                == "0a22725a2d3d42c8f0515617bf249fcd1aaec274c7e94a5058549a5691941426")
    }

    @Test("One, two and three derived keys as Python computes them")
    func derivedKeys() {
        let expected = [
            "10209def3f203879956c13e10eedb116ca7ada9a23fefcc600ea0a1aeefeef68",
            "14957f5e725fedad9f4145a68dd36b7ed6fcce80563523f3d090b881e9b3b98a",
            "f8ce9b81db3fc3c8e8242803e974e873d8727482813800299e5dceee2580ed05",
        ]
        let chainingKey = SecretKey(repeating: 0x11)
        let first = SecretKey()
        let second = SecretKey()
        let third = SecretKey()
        Array("input".utf8).withUnsafeBytes { input in
            suite.deriveKeys(chainingKey: chainingKey, input: input, first)
            #expect(hex(first.revealed) == expected[0])
            suite.deriveKeys(chainingKey: chainingKey, input: input, first, second)
            #expect([first.revealed, second.revealed].map { hex($0) } == Array(expected[..<2]))
            suite.deriveKeys(chainingKey: chainingKey, input: input, first, second, third)
            let all = [first.revealed, second.revealed, third.revealed]
            #expect(all.map { hex($0) } == expected)
            suite.deriveKeys(chainingKey: chainingKey, input: input, chainingKey, second)
            #expect(
                [chainingKey.revealed, second.revealed].map { hex($0) } == Array(expected[..<2]))
        }
    }

    @Test(
        "Keyed BLAKE2s with 16 and 32 bytes of key as Python computes it, in any order",
        arguments: 0..<3)
    func mac(_ round: Int) {
        let cases = [
            ([UInt8](repeating: 1, count: 16), "abc", "011fe4219a14014149184cf66d37e7a3"),
            ([UInt8](repeating: 2, count: 32), "", "8e5ba025eb486058d1f614a12a4e4a1b"),
        ]
        for (key, text, expected) in cases + cases.reversed() {
            var code = [UInt8](repeating: 0, count: CipherSuite.macCount)
            code.withUnsafeMutableBytes { code in
                key.withUnsafeBytes { key in
                    Array(text.utf8).withUnsafeBytes {
                        suite.mac(key: key, $0, into: code.baseAddress.unsafelyUnwrapped)
                    }
                }
            }
            #expect(hex(code) == expected)
        }
    }
}
