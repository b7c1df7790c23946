/// The URL of a probe: `http://` or `https://`, a host, and whatever follows.
package enum ProbeURL {
    /// What is wrong with a URL; `nil` where nothing is.
    ///
    /// It is given to a program as it stands, so that it holds no other characters than RFC 3986
    /// has, and nothing that is for nobody else to see.
    package static func problem(of text: String) -> String? {
        let bytes = Array(text.utf8)
        guard let rest = afterScheme(bytes) else { return "neither http:// nor https://" }
        guard bytes.allSatisfy(isAllowed) else {
            return "a character that no URL holds; write it as a % and two digits"
        }
        let authority = rest.prefix { !"/?#".utf8.contains($0) }
        guard !authority.contains(UInt8(ascii: "@")) else {
            return "a name or password before the host: a probe has none"
        }
        return isHost(authority) ? nil : "not a host, such as www.example.org, or HOST:PORT"
    }

    private static func afterScheme(_ bytes: [UInt8]) -> ArraySlice<UInt8>? {
        let lower = bytes.prefix(8).map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
        for scheme in ["http://", "https://"] where lower.starts(with: scheme.utf8) {
            return bytes.dropFirst(scheme.utf8.count)
        }
        return nil
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        (0x21...0x7E).contains(byte) && !"\"<>\\^`{|}".utf8.contains(byte)
    }

    private static func isHost(_ authority: ArraySlice<UInt8>) -> Bool {
        if authority.first == UInt8(ascii: "[") {
            guard let end = authority.firstIndex(of: UInt8(ascii: "]")) else { return false }
            let text = String(decoding: authority[..<end].dropFirst(), as: UTF8.self)
            return IPAddress(text)?.family == .v6 && isPort(authority[(end + 1)...])
        }
        let host = authority.prefix { $0 != UInt8(ascii: ":") }
        let text = String(decoding: host, as: UTF8.self)
        let isKnown =
            IPAddress(text)?.family == .v4 || DNSSettings.problem(ofDomain: text) == nil
        return isKnown && isPort(authority.dropFirst(host.count))
    }

    /// Whether this is nothing, or a colon with a number behind it.
    private static func isPort(_ text: ArraySlice<UInt8>) -> Bool {
        guard let first = text.first else { return true }
        let digits = text.dropFirst()
        return first == UInt8(ascii: ":") && (1...5).contains(digits.count)
            && digits.allSatisfy { (0x30...0x39).contains($0) }
            && (1...65_535).contains(digits.reduce(0) { $0 * 10 + Int($1 - 0x30) })
    }
}
