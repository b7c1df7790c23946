/// Identifiers of configurations and attempts: UUIDs in lower case.
package enum Identifier {
    /// Makes a random identifier (RFC 9562, version 4) from 16 random bytes.
    package static func make(from random: [UInt8]) -> String {
        var bytes = Array(random.prefix(16))
        bytes += repeatElement(0, count: 16 - bytes.count)
        bytes[6] = bytes[6] & 0x0F | 0x40
        bytes[8] = bytes[8] & 0x3F | 0x80
        let digits = Array("0123456789abcdef")
        var text = ""
        for (position, byte) in bytes.enumerated() {
            if [4, 6, 8, 10].contains(position) { text.append("-") }
            text.append(digits[Int(byte >> 4)])
            text.append(digits[Int(byte & 15)])
        }
        return text
    }

    /// Whether the text has the form of an identifier.
    package static func isValid(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        guard bytes.count == 36 else { return false }
        return bytes.enumerated().allSatisfy { position, byte in
            if [8, 13, 18, 23].contains(position) { return byte == UInt8(ascii: "-") }
            return (0x30...0x39).contains(byte) || (0x61...0x66).contains(byte)
        }
    }

    /// The 16 bytes of a valid identifier.
    package static func bytes(of identifier: String) -> [UInt8] {
        let digits = identifier.utf8.filter { $0 != UInt8(ascii: "-") }.map { byte in
            byte <= 0x39 ? byte &- 0x30 : byte &- 0x61 &+ 10
        }
        return stride(from: 0, to: digits.count - 1, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
    }
}

/// The 64-bit FNV-1a hash (draft-eastlake-fnv): tells values apart, protects nothing.
package struct Fingerprint {
    /// The hash of what was added so far.
    package private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325

    /// The hash of bytes; not generic, as what is called from other modules would be slow then.
    package init(of bytes: [UInt8]) {
        for byte in bytes { add(byte) }
    }

    /// The hash of a text.
    package init(of text: String) {
        for byte in text.utf8 { add(byte) }
    }

    private mutating func add(_ byte: UInt8) {
        value = (value ^ UInt64(byte)) &* 0x0000_0100_0000_01B3
    }

    /// The hash as 16 hexadecimal digits.
    package var text: String {
        let digits = String(value, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}
