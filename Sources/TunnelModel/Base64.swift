/// Base64 of RFC 4648, section 4.
package enum Base64 {
    /// The text of bytes, on one line.
    package static func encode(_ bytes: some Collection<UInt8>) -> String {
        var text: [UInt8] = []
        text.reserveCapacity(bytes.count / 3 * 4 + 4)
        var word: UInt32 = 0
        var count = 0
        for byte in bytes {
            word = word << 8 | UInt32(byte)
            count += 1
            if count == 3 {
                append(word, digits: 4, to: &text)
                (word, count) = (0, 0)
            }
        }
        if count > 0 {
            append(word << UInt32(8 * (3 - count)), digits: count + 1, to: &text)
            text += repeatElement(UInt8(ascii: "="), count: 3 - count)
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// The bytes of a text, in which blanks and line ends count for nothing, and which may be
    /// without the `=` at its end; `nil` for what is no base64.
    package static func decode(_ text: some Collection<UInt8>) -> [UInt8]? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count / 4 * 3)
        var word: UInt32 = 0
        var bits = 0
        var padding = 0
        for character in text {
            if character == 0x20 || (0x09...0x0D).contains(character) { continue }
            if character == UInt8(ascii: "=") {
                padding += 1
                continue
            }
            guard padding == 0, let digit = value(of: character) else { return nil }
            word = word << 6 | digit
            bits += 6
            if bits >= 8 {
                bits -= 8
                bytes.append(UInt8(truncatingIfNeeded: word >> UInt32(bits)))
            }
        }
        // Six bits are no byte; of what is too few for one nothing may be set.
        guard bits < 6, word & (1 << UInt32(bits) - 1) == 0, padding <= 2 else { return nil }
        return bytes
    }

    private static let alphabet = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    private static func append(_ word: UInt32, digits: Int, to text: inout [UInt8]) {
        for index in 0..<digits {
            text.append(alphabet[Int(word >> UInt32(18 - 6 * index) & 0x3F)])
        }
    }

    /// The value of a digit; `nil` for what is none.
    static func value(of character: UInt8) -> UInt32? {
        switch character {
        case 0x41...0x5A: UInt32(character) - 0x41
        case 0x61...0x7A: UInt32(character) - 0x61 + 26
        case 0x30...0x39: UInt32(character) - 0x30 + 52
        case UInt8(ascii: "+"): 62
        case UInt8(ascii: "/"): 63
        default: nil
        }
    }
}
