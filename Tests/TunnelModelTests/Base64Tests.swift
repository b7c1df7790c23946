import Testing
import TunnelModel

@Suite struct Base64Tests {
    /// The vectors of RFC 4648, section 10.
    @Test(
        arguments: [
            ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="),
            ("fooba", "Zm9vYmE="), ("foobar", "Zm9vYmFy"),
        ])
    func theVectorsOfTheStandardHold(plain: String, text: String) {
        #expect(Base64.encode(Array(plain.utf8)) == text)
        #expect(Base64.decode(text.utf8) == Array(plain.utf8))
    }

    @Test func everyByteComesBack() {
        let bytes = Array(UInt8.min...UInt8.max)
        #expect(Base64.decode(Base64.encode(bytes).utf8) == bytes)
    }

    @Test func blanksCountForNothingAndTheEndMayBeMissing() {
        #expect(Base64.decode("\n\t Zm9v\r\n Yg\t".utf8) == Array("foob".utf8))
    }

    @Test(arguments: ["Z", "Zg=a", "Zm9v-", "Zh==", "Zg===", "é"])
    func whatIsNoBase64IsRefused(text: String) {
        #expect(Base64.decode(text.utf8) == nil)
    }
}
