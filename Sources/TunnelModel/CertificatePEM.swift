/// A certificate as text (RFC 7468).
package enum CertificatePEM {
    private static let begin = "-----BEGIN CERTIFICATE-----"
    private static let end = "-----END CERTIFICATE-----"

    /// What keeps a text from being one certificate and nothing beside it.
    ///
    /// Nothing of what stands around certificates in some files is taken: that may be a private
    /// key, and anchors are public.
    package static func problem(of text: String) -> String? {
        let lines = text.utf8.split(whereSeparator: { $0 == 0x0A || $0 == 0x0D })
            .map { Substring($0).trimmedEnd }
            .filter { !$0.isEmpty }
        guard lines.first == begin[...] else { return "not a certificate in PEM form" }
        guard let last = lines.firstIndex(of: end[...]) else {
            return "a certificate in PEM form without its end"
        }
        guard last == lines.count - 1 else {
            return "more than one certificate, or something behind it"
        }
        let body = lines[1..<last]
        guard !body.isEmpty, body.allSatisfy({ $0.utf8.allSatisfy(isBase64) }) else {
            return "not a certificate in PEM form"
        }
        guard let der = Base64.decode(body.flatMap { Array($0.utf8) }) else {
            return "not a certificate in PEM form"
        }
        return isCertificate(der) ? nil : "not one certificate, or something behind it"
    }

    /// Whether bytes are one SEQUENCE of DER and nothing behind it, with a SEQUENCE in it: what a
    /// private key begins with is a number.
    package static func isCertificate(_ der: [UInt8]) -> Bool {
        guard let whole = BERElement(der[...]), whole.tag == BERElement.sequence, whole.isDefinite,
            whole.end == der.count
        else { return false }
        return BERElement(whole.content)?.tag == BERElement.sequence
    }

    private static func isBase64(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "=") || Base64.value(of: byte) != nil
    }
}

extension Substring {
    fileprivate var trimmedEnd: Substring {
        var rest = self
        while let last = rest.utf8.last, last == 0x20 || last == 0x09 { rest.removeLast() }
        return rest
    }
}
