package import JSON

/// What a certificate says of itself, as far as people have to know it.
package struct CertificateDescription: Equatable, Sendable {
    /// Its subject as RFC 2253 writes it.
    package let subject: String
    package let fingerprint: CertificateFingerprint
    package let notBefore: Timestamp
    package let notAfter: Timestamp

    package init(
        subject: String,
        fingerprint: CertificateFingerprint,
        notBefore: Timestamp,
        notAfter: Timestamp
    ) {
        self.subject = subject
        self.fingerprint = fingerprint
        self.notBefore = notBefore
        self.notAfter = notAfter
    }

    init(_ node: JSONNode) throws(JSONError) {
        var reader = try JSONObjectReader(node)
        subject = try reader.string("subject")
        guard let fingerprint = CertificateFingerprint(try reader.string("sha256")) else {
            throw reader.mismatch("sha256", "not 64 hexadecimal digits")
        }
        self.fingerprint = fingerprint
        notBefore = try reader.timestamp("notBefore")
        notAfter = try reader.timestamp("notAfter")
        try reader.finish()
    }
}

extension CertificateDescription {
    /// Whose it is, for people.
    package var text: String { "\(subject) (SHA-256 \(fingerprint.text))" }
}

extension CertificateDescription: JSONEncodable {
    package func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("subject", subject)
            writer.member("sha256", fingerprint.text)
            writer.member("notBefore", notBefore)
            writer.member("notAfter", notAfter)
        }
    }
}
