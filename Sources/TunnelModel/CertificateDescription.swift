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
        fingerprint = try reader.fingerprint("sha256")
        notBefore = try reader.timestamp("notBefore")
        notAfter = try reader.timestamp("notAfter")
        try reader.finish()
    }
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

/// Who signed an enrolled profile.
package struct ProfileSigner: Equatable, Sendable {
    /// The subject of the certificate, as RFC 2253 writes it.
    package let subject: String
    package let fingerprint: CertificateFingerprint

    package init(subject: String, fingerprint: CertificateFingerprint) {
        self.subject = subject
        self.fingerprint = fingerprint
    }

    init(_ node: JSONNode) throws(JSONError) {
        var reader = try JSONObjectReader(node)
        subject = try reader.string("subject")
        fingerprint = try reader.fingerprint("sha256")
        try reader.finish()
    }

    /// Who it is, for people.
    package var text: String { "\(subject) (SHA-256 \(fingerprint.text))" }
}

extension ProfileSigner: JSONEncodable {
    package func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("subject", subject)
            writer.member("sha256", fingerprint.text)
        }
    }
}

extension JSONObjectReader {
    fileprivate mutating func fingerprint(_ key: String) throws(JSONError)
        -> CertificateFingerprint
    {
        guard let fingerprint = CertificateFingerprint(try string(key)) else {
            throw mismatch(key, "not 64 hexadecimal digits")
        }
        return fingerprint
    }
}
