internal import SessionHost
internal import TunnelModel

/// A certificate that openssl(1) could read.
struct Certificate {
    let description: CertificateDescription
    /// What its key may be used for, as openssl calls it; `nil` where it does not say.
    let keyUsage: [String]?
    let extendedKeyUsage: [String]?

    private static let arguments = [
        "x509", "-noout", "-subject", "-fingerprint", "-sha256", "-dates", "-nameopt",
        "RFC2253,utf8,-esc_msb", "-dateopt", "iso_8601", "-ext", "keyUsage,extendedKeyUsage",
    ]

    /// Reads one in PEM form; `nil` where it is none.
    init?(pem: [UInt8]) throws(Failure) {
        guard case .success(let answer) = try OpenSSL.run(Self.arguments, inputs: [pem]) else {
            return nil
        }
        var values: [Substring: Substring] = [:]
        var usages: [Substring: [String]] = [:]
        var heading: Substring?
        for line in String(decoding: answer, as: UTF8.self).split(separator: "\n") {
            if line.hasPrefix("X509v3 ") {
                heading = line.prefix { $0 != ":" }
            } else if line.hasPrefix(" "), let heading {
                usages[heading] = line.split(separator: ",").map { String($0.drop { $0 == " " }) }
            } else if let equals = line.firstIndex(of: "=") {
                values[line[..<equals]] = line[line.index(after: equals)...]
            }
        }
        guard let subject = values["subject"], let hash = values["sha256 Fingerprint"],
            let fingerprint = CertificateFingerprint(String(hash)),
            let notBefore = values["notBefore"].flatMap(Self.moment),
            let notAfter = values["notAfter"].flatMap(Self.moment)
        else { return nil }
        description = CertificateDescription(
            subject: String(subject).madePrintable(limit: 512), fingerprint: fingerprint,
            notBefore: notBefore, notAfter: notAfter)
        keyUsage = usages["X509v3 Key Usage"]
        extendedKeyUsage = usages["X509v3 Extended Key Usage"]
    }

    /// What keeps a CA's word for it from covering a profile; `nil` where nothing does.
    ///
    /// A CA that also issues certificates to servers and laptops does not let each of them sign
    /// profiles.
    var signingProblem: String? {
        let signing = ["Digital Signature", "Non Repudiation"]
        if let keyUsage, !keyUsage.contains(where: signing.contains) {
            return "its key is not for signatures (keyUsage)"
        }
        let purposes = ["E-mail Protection", "Code Signing", "Any Extended Key Usage"]
        if let extendedKeyUsage, !extendedKeyUsage.contains(where: purposes.contains) {
            return "it is for other purposes than signing (extendedKeyUsage: "
                + "\(extendedKeyUsage.joined(separator: ", ")))"
        }
        return nil
    }

    /// A moment as openssl writes it: `2026-11-30 01:02:03Z`.
    private static func moment(_ text: Substring) -> Timestamp? {
        Timestamp(text.split(separator: " ").joined(separator: "T"))
    }
}
