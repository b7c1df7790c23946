import Testing

@testable import WireGuard

@Suite("Keys and their text")
struct KeyTests {
    private func secret(_ text: String) -> [UInt8]? {
        Array(text.utf8).withUnsafeBytes { text in
            guard let key = SecretKey(base64: text) else { return nil }
            return key.revealed
        }
    }

    @Test("A private key and its public one as the tools of WireGuard write them")
    func known() throws {
        let suite = try CipherSuite()
        let text = "yAnz5TF+lXXJte14tji3zlMNq+hd2rYUIgJBgB3fBmk="
        let bytes = try #require(secret(text))
        let key = SecretKey(bytes)
        let publicKey = suite.publicKey(of: key)
        #expect(publicKey.base64 == "HIgo9xNzJMWLKASShiTqIybxZ0U3wGLiUeJ1PKf8ykw=")
    }

    @Test("Every key comes back from its text")
    func roundTrip() {
        var dice = Dice(3)
        for _ in 0..<500 {
            let bytes = dice.bytes(32)
            let key = PublicKey(bytes)
            #expect(PublicKey(base64: key.base64) == key)
            #expect(key.revealed == bytes)
            #expect(secret(key.base64) == bytes)
        }
    }

    @Test("Every byte but the 64 digits is refused, in every place")
    func alphabet() {
        let digits = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
        let good = [UInt8](repeating: UInt8(ascii: "A"), count: 43) + [UInt8(ascii: "=")]
        for place in 0..<42 {
            for byte in UInt8.min...UInt8.max {
                var text = good
                text[place] = byte
                let isKey = text.withUnsafeBytes { text in
                    let key = SecretKey(base64: text)
                    return key != nil
                }
                #expect(isKey == digits.contains(byte), "\(byte) at \(place)")
            }
        }
    }

    @Test("Of four texts that a lax reader takes for the same key one is right")
    func canonical() {
        let body = String(repeating: "A", count: 42)
        for (index, digit) in "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
            .enumerated()
        {
            #expect((PublicKey(base64: body + "\(digit)=") != nil) == (index % 4 == 0))
        }
    }

    @Test(
        "What is no base64 of 32 bytes is refused",
        arguments: [
            "", "=", String(repeating: "A", count: 43), String(repeating: "A", count: 44),
            String(repeating: "A", count: 42) + "==", String(repeating: "A", count: 43) + "=\n",
            " " + String(repeating: "A", count: 42) + "=",
            String(repeating: "A", count: 44) + "=", String(repeating: "é", count: 22),
            String(repeating: "a", count: 64),
        ])
    func malformed(_ text: String) {
        #expect(PublicKey(base64: text) == nil)
        #expect(secret(text) == nil)
    }

    @Test("Public keys differ by each of their bytes")
    func equality() {
        let zero = PublicKey([UInt8](repeating: 0, count: 32))
        for index in 0..<32 {
            var bytes = [UInt8](repeating: 0, count: 32)
            bytes[index] = 1
            #expect(PublicKey(bytes) != zero)
            #expect(SecretKey(bytes).matches(SecretKey()) == false)
        }
        let isSame = SecretKey(repeating: 4).matches(SecretKey(repeating: 4).copy())
        #expect(isSame)
    }

    @Test("A secret key does not tell its bytes when it is printed or reflected")
    func description() {
        final class Owner {
            let key = SecretKey(repeating: 0x41)
        }
        let owner = Owner()
        var text = ""
        dump(owner, to: &text)
        text += String(describing: owner) + String(reflecting: owner)
        #expect(!text.contains("65, 65") && !text.contains("4141") && !text.contains("AAAA"))
        withExtendedLifetime(owner) {}
    }
}
