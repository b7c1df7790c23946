/// The base64 (RFC 4648, section 4) of 32 bytes, without branches or look-ups by a secret.
enum KeyText {
    /// How many characters it has, the `=` at the end included.
    static let count = 44

    /// Writes 32 bytes; false, with any bytes written, unless the text is their only base64.
    static func decode(_ text: UnsafeRawBufferPointer, into key: UnsafeMutableRawPointer) -> Bool {
        guard text.count == count, text[count - 1] == UInt8(ascii: "=") else { return false }
        let bytes = key.assumingMemoryBound(to: UInt8.self)
        var problem: Int32 = 0
        for group in 0..<11 {
            var word: Int32 = 0
            for index in 4 * group..<4 * group + 4 {
                let value = index == count - 1 ? 0 : digit(Int32(text[index]))
                problem |= value
                word = word << 6 | value & 0x3f
            }
            bytes[3 * group] = UInt8(truncatingIfNeeded: word >> 16)
            bytes[3 * group + 1] = UInt8(truncatingIfNeeded: word >> 8)
            if group < 10 {
                bytes[3 * group + 2] = UInt8(truncatingIfNeeded: word)
            } else {
                // Bits behind the last byte would make a second text of the same key.
                problem |= -(word & 0xff)
            }
        }
        return problem >= 0
    }

    /// Writes the 44 characters of the 32 bytes at `key`.
    static func encode(_ key: UnsafeRawPointer, into text: UnsafeMutableRawBufferPointer) {
        precondition(text.count == count)
        let bytes = key.assumingMemoryBound(to: UInt8.self)
        for group in 0..<11 {
            let last = group < 10 ? Int32(bytes[3 * group + 2]) : 0
            let word = Int32(bytes[3 * group]) << 16 | Int32(bytes[3 * group + 1]) << 8 | last
            for index in 0..<4 {
                text[4 * group + index] = character(word >> Int32(18 - 6 * index) & 0x3f)
            }
        }
        text[count - 1] = UInt8(ascii: "=")
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
