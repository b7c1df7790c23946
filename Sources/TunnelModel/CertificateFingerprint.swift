/// The SHA-256 hash of a whole certificate, by which it is told apart from all others.
package struct CertificateFingerprint: Hashable, Sendable {
    /// 64 hexadecimal digits in lower case.
    package let text: String

    /// Reads the hash in hexadecimal digits of any case, with colons between its bytes or
    /// without.
    package init?(_ text: String) {
        let bytes = Array(text.utf8)
        let hasColons = bytes.count == 95
        guard hasColons || bytes.count == 64 else { return nil }
        var digits: [UInt8] = []
        for (index, byte) in bytes.enumerated() {
            if hasColons, index % 3 == 2 {
                guard byte == UInt8(ascii: ":") else { return nil }
                continue
            }
            switch byte {
            case 0x30...0x39, 0x61...0x66: digits.append(byte)
            case 0x41...0x46: digits.append(byte | 0x20)
            default: return nil
            }
        }
        self.text = String(decoding: digits, as: UTF8.self)
    }
}
