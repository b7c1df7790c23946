/// What a word looks like, whatever it means.
enum Shape {
    /// The address of a card: pairs of hexadecimal digits with colons.
    static func isMAC(_ text: String) -> Bool {
        let pairs = text.split(separator: ":", omittingEmptySubsequences: false)
        return pairs.count >= 4 && pairs.allSatisfy { $0.count == 2 && $0.allSatisfy(\.isHexDigit) }
    }

    /// A moment as RFC 3339 writes it, or a part of one.
    static func isTime(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        guard (8...35).contains(bytes.count),
            bytes.allSatisfy({ "0123456789T:-.Z+".utf8.contains($0) })
        else { return false }
        let isDate = bytes.count >= 10 && bytes[4] == 0x2D && bytes[7] == 0x2D
        let isClock = bytes.count == 8 && bytes[2] == 0x3A && bytes[5] == 0x3A
        // Three pairs are no address of a card either.
        return isDate || (isClock && bytes.filter { $0 == 0x3A }.count == 2)
    }

    /// A key, a hash or a piece of PEM: long, of the alphabet of Base64, and no words.
    static func isKey(_ text: String) -> Bool {
        let bytes = text.utf8
        guard bytes.count >= 22, !text.hasPrefix("/") else { return false }
        var kinds: Set<Int> = []
        for byte in bytes {
            switch byte {
            case 0x30...0x39: kinds.insert(0)
            case 0x41...0x5A: kinds.insert(1)
            case 0x61...0x7A: kinds.insert(2)
            case 0x2B, 0x2F, 0x3D: kinds.insert(3)
            default: return false
            }
        }
        return kinds.count >= 3 || (kinds.count == 2 && text.allSatisfy(\.isHexDigit))
    }

    /// A number that is no address and no secret: few digits, perhaps with a unit.
    static func isPlainNumber(_ text: String, mostDigits: Int) -> Bool {
        if text.hasPrefix("0x") {
            let digits = text.dropFirst(2)
            guard digits.allSatisfy(\.isHexDigit), !digits.isEmpty else { return false }
            return digits.drop { $0 == "0" }.count <= 4 || digits.lowercased() == "75000075"
        }
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        if parts.count > 1 {
            // Versions and fractions; four parts and more are an address.
            let isNumber = parts.allSatisfy {
                (1...6).contains($0.count) && $0.allSatisfy(\.isASCIIDigit)
            }
            return parts.count <= 3 && isNumber
        }
        let digits = text.prefix(while: \.isASCIIDigit)
        guard !digits.isEmpty, digits.count <= mostDigits else { return false }
        return units.contains(String(text.dropFirst(digits.count)))
    }

    private static let units: Set<String> = [
        "", "s", "ms", "us", "m", "h", "d", "b", "K", "M", "G", "KiB", "MiB", "GiB", "KB", "Mbit",
        "Kbit", "Gbit", "sec", "min",
    ]
}

extension Character {
    fileprivate var isASCIIDigit: Bool { isASCII && isNumber }
}
