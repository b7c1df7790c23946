/// Keys of WireGuard as people write them: 32 bytes in base64, as `wg genkey` prints them.
///
/// Neither branches nor looks up by what it reads: a key may be secret (RFC 4648, section 4, by
/// arithmetic).
package enum WireGuardKey {
    /// How many bytes a key has, be it private, public or preshared.
    package static let byteCount = 32
    /// How many characters its base64 has, the `=` at the end included.
    package static let textLength = 44

    /// Writes the 32 bytes of a key; false, with any bytes written, for what is no key.
    ///
    /// Each key has one text alone: what is not canonical (RFC 4648, section 3.5) is none.
    package static func decode(_ text: Span<UInt8>, into key: inout MutableSpan<UInt8>) -> Bool {
        guard text.count == textLength, key.count == byteCount,
            text[textLength - 1] == UInt8(ascii: "=")
        else { return false }
        var problem: Int32 = 0
        for group in 0..<11 {
            var word: Int32 = 0
            for index in 4 * group..<4 * group + 4 {
                let value = index == textLength - 1 ? 0 : digit(Int32(text[index]))
                problem |= value
                word = word << 6 | value & 0x3f
            }
            key[3 * group] = UInt8(truncatingIfNeeded: word >> 16)
            key[3 * group + 1] = UInt8(truncatingIfNeeded: word >> 8)
            if group < 10 {
                key[3 * group + 2] = UInt8(truncatingIfNeeded: word)
            } else {
                // Bits behind the last byte would make a second text of the same key.
                problem |= -(word & 0xff)
            }
        }
        return problem >= 0
    }

    /// Writes the 44 characters of the 32 bytes of a key.
    package static func encode(_ key: Span<UInt8>, into text: inout MutableSpan<UInt8>) {
        precondition(key.count == byteCount && text.count == textLength)
        for group in 0..<11 {
            let last = group < 10 ? Int32(key[3 * group + 2]) : 0
            let word = Int32(key[3 * group]) << 16 | Int32(key[3 * group + 1]) << 8 | last
            for index in 0..<4 {
                text[4 * group + index] = character(word >> Int32(18 - 6 * index) & 0x3f)
            }
        }
        text[textLength - 1] = UInt8(ascii: "=")
    }

    /// The key that a text stands for; nil for what is no key.
    package static func decode(_ text: some Collection<UInt8>) -> [UInt8]? {
        let text = Array(text)
        var key = [UInt8](repeating: 0, count: byteCount)
        var span = key.mutableSpan
        return decode(text.span, into: &span) ? key : nil
    }

    /// The text of a key of 32 bytes.
    package static func encode(_ key: [UInt8]) -> String {
        var text = [UInt8](repeating: 0, count: textLength)
        var span = text.mutableSpan
        encode(key.span, into: &span)
        return String(decoding: text, as: UTF8.self)
    }

    /// What keeps a text from being a key; it never holds the text, which may be a secret.
    package static func problem(of text: String) -> String? {
        let length = text.utf8.count
        guard length == textLength else {
            return "not a key: \(length) characters, where base64 of 32 bytes has 44"
        }
        return decode(text.utf8) == nil ? "not a key: not canonical base64 of 32 bytes" : nil
    }

    /// The private key that random bytes make: clamped as RFC 7748, section 5, says.
    package static func clamped(_ random: [UInt8]) -> [UInt8] {
        guard random.count == byteCount else { return random }
        var key = random
        key[0] &= 248
        key[31] = key[31] & 127 | 64
        return key
    }

    /// The value of a digit, or -1.
    private static func digit(_ character: Int32) -> Int32 {
        -1
            + (inRange(character, 0x41, 0x5a) & (character - 0x41 + 1))
            + (inRange(character, 0x61, 0x7a) & (character - 0x61 + 26 + 1))
            + (inRange(character, 0x30, 0x39) & (character - 0x30 + 52 + 1))
            + (inRange(character, 0x2b, 0x2b) & (62 + 1))
            + (inRange(character, 0x2f, 0x2f) & (63 + 1))
    }

    private static func character(_ value: Int32) -> UInt8 {
        let character =
            inRange(value, 0, 25) & (value + 0x41)
            | inRange(value, 26, 51) & (value - 26 + 0x61)
            | inRange(value, 52, 61) & (value - 52 + 0x30)
            | inRange(value, 62, 62) & 0x2b
            | inRange(value, 63, 63) & 0x2f
        return UInt8(truncatingIfNeeded: character)
    }

    /// All bits set when the value is in the range, else none.
    private static func inRange(_ value: Int32, _ first: Int32, _ last: Int32) -> Int32 {
        ((first - 1 - value) & (value - last - 1)) >> 31
    }
}
