/// Keys of WireGuard as people write them: 32 bytes in base64, as `wg genkey` prints them.
package enum WireGuardKey {
    /// How many bytes a key has, be it private, public or preshared.
    package static let byteCount = 32
    /// How many characters its base64 has.
    package static let textLength = 44

    /// The key that a text stands for.
    ///
    /// Each key has one text alone: what is not canonical (RFC 4648, section 3.5) is none.
    package static func decode(_ text: some Collection<UInt8>) -> [UInt8]? {
        guard text.count == textLength, text.last(in: textLength) == UInt8(ascii: "=") else {
            return nil
        }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(byteCount)
        var bits: UInt32 = 0
        var count = 0
        for character in text.dropLast() {
            guard let value = value(of: character) else { return nil }
            bits = (bits & 0xFF) << 6 | value
            count += 6
            if count >= 8 {
                count -= 8
                bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
            }
        }
        // 43 characters are 258 bits: the last two belong to no byte.
        return bits & 3 == 0 ? bytes : nil
    }

    /// The text of a key.
    package static func encode(_ key: [UInt8]) -> String {
        var text: [UInt8] = []
        for start in stride(from: 0, to: key.count, by: 3) {
            let group = key[start..<min(start + 3, key.count)]
            let bits = (0..<3).reduce(UInt32(0)) { bits, offset in
                bits << 8 | (offset < group.count ? UInt32(group[start + offset]) : 0)
            }
            for place in 0..<4 {
                let isPadding = place > group.count
                let value = Int(bits >> UInt32(18 - 6 * place) & 63)
                text.append(isPadding ? UInt8(ascii: "=") : alphabet[value])
            }
        }
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

    private static let alphabet = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    private static func value(of character: UInt8) -> UInt32? {
        switch character {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(character - UInt8(ascii: "A"))
        case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(character - UInt8(ascii: "a")) + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(character - UInt8(ascii: "0")) + 52
        case UInt8(ascii: "+"): 62
        case UInt8(ascii: "/"): 63
        default: nil
        }
    }
}

extension Collection {
    /// The last element of a collection with so many.
    fileprivate func last(in count: Int) -> Element? {
        dropFirst(count - 1).first
    }
}
