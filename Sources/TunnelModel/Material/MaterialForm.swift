/// What a text tells by its form alone, whatever the key that it stands under.
package enum MaterialForm {
    /// The kind of material that a text is, or holds; `nil` for any other text.
    package static func kind(of text: String) -> MisplacedMaterial.Kind? {
        // Nothing shorter is any of it, and most texts of configurations are.
        guard text.utf8.count >= 7 else { return nil }
        let bytes = Array(text.utf8)
        return blockKind(bytes) ?? structureKind(bytes) ?? (holdsKey(bytes) ? .key : nil)
            ?? (holdsPassword(bytes) ? .secret : nil)
    }

    /// Whether a text is a hash as certificates are pinned by: 32 hexadecimal digits and more,
    /// with or without colons, or what begins with the name of the hash.
    static func isHash(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        let digits = bytes.count(where: isHexadecimal)
        let isWhole = bytes.allSatisfy { isHexadecimal($0) || $0 == UInt8(ascii: ":") }
        return isWhole && digits >= 32
            || ["sha256", "sha1", "SHA256:"].contains { text.hasPrefix($0) }
    }

    // MARK: PEM

    private static let blocks = ["-----BEGIN ", "---- BEGIN "].map { Array($0.utf8) }
    private static let secretLabels = ["PRIVATE", "SECRET", "STATIC", "ENCRYPTED"]
        .map { Array($0.utf8) }
    private static let trustLabels = ["CERTIFICATE", "PUBLIC", "CRL", "PKCS7"]
        .map { Array($0.utf8) }

    /// The kind of a block of PEM (RFC 7468) or of the like, by its label.
    private static func blockKind(_ bytes: [UInt8]) -> MisplacedMaterial.Kind? {
        for block in blocks {
            guard let start = place(of: block, in: bytes[...]) else { continue }
            let label = bytes[(start + block.count)...].prefix { $0 != UInt8(ascii: "-") }
            let upper = label.map { (0x61...0x7A).contains($0) ? $0 - 0x20 : $0 }[...]
            if secretLabels.contains(where: { place(of: $0, in: upper) != nil }) { return .secret }
            return trustLabels.contains { place(of: $0, in: upper) != nil } ? .trust : .key
        }
        return nil
    }

    private static func place(of word: [UInt8], in bytes: ArraySlice<UInt8>) -> Int? {
        guard bytes.count >= word.count else { return nil }
        return (bytes.startIndex...bytes.endIndex - word.count).first {
            bytes[$0] == word[0] && bytes[$0..<$0 + word.count].elementsEqual(word)
        }
    }

    // MARK: DER

    /// The kind of a structure in base64 (certificates, keys, PKCS#12): a SEQUENCE of DER that
    /// fills the text to its end.
    private static func structureKind(_ bytes: [UInt8]) -> MisplacedMaterial.Kind? {
        guard bytes.count >= 40 else { return nil }
        // "M" is what any SEQUENCE begins with; nothing shorter is a key.
        guard bytes.first(where: { !isBlank($0) }) == UInt8(ascii: "M"),
            let der = Base64.decode(bytes.lazy.map(standardDigit)), der.count >= 30,
            der[0] == 0x30, let content = content(of: der)
        else { return nil }
        // A version comes first in private keys (0, 1) and in PKCS#12 (3), in no certificate.
        return content.starts(with: [0x02, 0x01]) ? .secret : .trust
    }

    /// What is in an element of DER whose length is that of all the bytes.
    private static func content(of der: [UInt8]) -> ArraySlice<UInt8>? {
        let short = Int(der[1])
        guard short >= 0x80 else { return der.count == 2 + short ? der[2...] : nil }
        let digits = short & 0x7F
        guard (1...3).contains(digits), der.count > 2 + digits else { return nil }
        let length = der[2..<2 + digits].reduce(0) { $0 << 8 | Int($1) }
        return der.count == 2 + digits + length ? der[(2 + digits)...] : nil
    }

    /// A digit of the other alphabet (RFC 4648, section 5) as that of the usual one.
    private static func standardDigit(_ byte: UInt8) -> UInt8 {
        switch byte {
        case UInt8(ascii: "-"): UInt8(ascii: "+")
        case UInt8(ascii: "_"): UInt8(ascii: "/")
        default: byte
        }
    }

    private static func isBlank(_ byte: UInt8) -> Bool {
        byte == 0x20 || (0x09...0x0D).contains(byte)
    }

    // MARK: WireGuard

    /// Whether a key of WireGuard stands somewhere in a text: base64 of 32 bytes, by itself.
    ///
    /// Either alphabet will do, and without the `=` at its end a mixture that no word is.
    private static func holdsKey(_ bytes: [UInt8]) -> Bool {
        let length = WireGuardKey.textLength - 1
        guard bytes.count >= length else { return false }
        var start = 0
        for end in 0...bytes.count {
            if end < bytes.count, isDigit(bytes[end]) { continue }
            defer { start = end + 1 }
            guard end - start == length else { continue }
            let digits = bytes[start..<end]
            let padding = bytes[end...].prefix { $0 == UInt8(ascii: "=") }.count
            let next = end + padding < bytes.count ? bytes[end + padding] : 0
            guard padding == 0 ? isMixture(digits) : padding == 1 && !isDigit(next) else {
                continue
            }
            let text = digits.map(standardDigit) + [UInt8(ascii: "=")]
            if WireGuardKey.decode(text[...]) != nil { return true }
        }
        return false
    }

    private static func isMixture(_ bytes: ArraySlice<UInt8>) -> Bool {
        bytes.count { (0x41...0x5A).contains($0) } > 3
            && bytes.count { (0x61...0x7A).contains($0) } > 3
            && bytes.count { (0x30...0x39).contains($0) } > 1
    }

    /// Whether a byte is a digit of base64 in either alphabet.
    private static func isDigit(_ byte: UInt8) -> Bool { isBase64(standardDigit(byte)) }

    private static func isBase64(_ byte: UInt8) -> Bool { Base64.value(of: byte) != nil }

    // MARK: URL

    /// Whether an address holds a password: `scheme://name:password@host`.
    private static func holdsPassword(_ bytes: [UInt8]) -> Bool {
        guard let scheme = place(of: Array("://".utf8), in: bytes[...]), scheme > 0 else {
            return false
        }
        let authority = bytes[(scheme + 3)...].prefix { !"/?# ".utf8.contains($0) }
        guard let at = authority.lastIndex(of: UInt8(ascii: "@")) else { return false }
        guard let colon = authority[..<at].firstIndex(of: UInt8(ascii: ":")) else { return false }
        return colon + 1 < at
    }

    private static func isHexadecimal(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x46, 0x61...0x66: true
        default: false
        }
    }
}
