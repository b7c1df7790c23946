/// The answer of somebody under load, where it lies in memory.
package struct CookieReplyMessage {
    /// The first four bytes: a type and three zeros.
    static let type: UInt32 = 3

    /// How many bytes it has.
    package static let byteCount = 64

    enum Offset {
        static let receiver = 4
        static let nonce = 8
        static let sealedCookie = 32
    }

    static let sealedCookieCount = CipherSuite.macCount + sealedTagCount

    let bytes: UnsafeRawPointer

    init(_ bytes: UnsafeRawPointer) {
        self.bytes = bytes
    }

    /// The index of the handshake message that is answered.
    package var receiver: UInt32 { bytes.littleEndianWord(at: Offset.receiver) }
}
