internal import TunnelModel

/// A message of the Cryptographic Message Syntax (RFC 5652), as far as it takes to tell what it
/// is.
package struct CMSMessage: Equatable, Sendable {
    /// How it is written.
    package enum Encoding: Sendable {
        case der, pem
    }

    /// What it holds.
    package enum Content: Equatable, Sendable {
        case signed, encrypted, other
    }

    package let encoding: Encoding
    /// `nil` where only its binary form tells.
    package let content: Content?

    // 1.2.840.113549.1.7, whose members are the types of content, and
    // 1.2.840.113549.1.9.16.1, which has those that came later.
    private static let types: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x07]
    private static let laterTypes: [UInt8] = [
        0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x09, 0x10, 0x01,
    ]
    private static let labels = ["CMS", "PKCS7", "PKCS #7 SIGNED DATA"]

    /// Looks at the first bytes of a file; `nil` where it is no such message.
    package init?(detecting bytes: [UInt8]) {
        if let content = Self.content(of: bytes) {
            encoding = .der
            self.content = content
            return
        }
        let text = bytes.drop { [0xEF, 0xBB, 0xBF, 0x20, 0x09, 0x0A, 0x0D].contains($0) }
        guard Self.labels.contains(where: { text.starts(with: "-----BEGIN \($0)-----".utf8) })
        else { return nil }
        encoding = .pem
        content = nil
    }

    /// What the outermost sequence says that it is, in BER or DER.
    private static func content(of bytes: [UInt8]) -> Content? {
        var rest = bytes.prefix(64)
        guard rest.popFirst() == 0x30, let length = rest.popFirst() else { return nil }
        // The length, which may be left open (0x80), is no matter here.
        if length > 0x80 { rest = rest.dropFirst(Int(length & 0x7F)) }
        guard rest.popFirst() == 0x06, let count = rest.popFirst(), rest.count >= count else {
            return nil
        }
        let identifier = Array(rest.prefix(Int(count)))
        if identifier.count == types.count + 1, identifier.starts(with: types) {
            switch identifier.last {
            case 2: return .signed
            case 3, 4, 6: return .encrypted
            default: return .other
            }
        }
        guard identifier.count == laterTypes.count + 1, identifier.starts(with: laterTypes) else {
            return nil
        }
        // authEnvelopedData.
        return identifier.last == 23 ? .encrypted : .other
    }
}

extension CMSMessage {
    /// Whether something stands behind the message, which nobody signed.
    package func isFollowed(in bytes: [UInt8]) -> Bool {
        switch encoding {
        case .der: return Self.isLonger(bytes)
        case .pem:
            let lines = bytes.split { $0 == 0x0A || $0 == 0x0D }
                .map { $0.filter { $0 != 0x20 && $0 != 0x09 } }
                .filter { !$0.isEmpty }
            guard let last = lines.firstIndex(where: { $0.starts(with: "-----END".utf8) }) else {
                return false
            }
            guard last == lines.count - 1 else { return true }
            guard let der = Base64.decode(lines[1..<last].flatMap(\.self)) else { return false }
            return Self.isLonger(der)
        }
    }

    private static func isLonger(_ bytes: [UInt8]) -> Bool {
        guard let whole = BERElement(bytes[...]), whole.tag == BERElement.sequence else {
            return false
        }
        return whole.end < bytes.count
    }
}
