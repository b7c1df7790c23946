internal import PropertyLists
internal import TunnelModel

/// The certificates in a payload, as PEM each.
enum MobileCertificates {
    private static let most = EnrolledMaterial.mostCertificates
    private static let label = "CERTIFICATE"

    /// The certificates in data of either form; `problem` says why there are none.
    static func certificates(in data: [UInt8]) -> (pems: [String], problem: String?) {
        if CertificatePEM.isCertificate(data) { return ([pem(data)], nil) }
        guard let text = String(validating: data, as: UTF8.self) else {
            return ([], "neither a certificate in DER nor PEM")
        }
        return blocks(of: text)
    }

    private static func blocks(of text: String) -> (pems: [String], problem: String?) {
        var pems: [String] = []
        var body: [UInt8]?
        let lines = text.utf8.split { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }
        for line in lines.map({ Substring($0).trimmed }) {
            if line.hasPrefix("-----BEGIN ") {
                guard line == "-----BEGIN \(label)-----", body == nil else {
                    return ([], "something else than certificates, which does not belong there")
                }
                body = []
            } else if line.hasPrefix("-----END ") {
                guard line == "-----END \(label)-----", let taken = body,
                    let der = Base64.decode(taken), CertificatePEM.isCertificate(der)
                else { return ([], "a certificate in it is damaged") }
                pems.append(pem(der))
                body = nil
            } else {
                body?.append(contentsOf: line.utf8)
            }
        }
        if pems.isEmpty || body != nil { return ([], "neither a certificate in DER nor PEM") }
        return pems.count > most ? ([], "more than \(most) certificates") : (pems, nil)
    }

    private static func pem(_ der: [UInt8]) -> String {
        let text = Array(Base64.encode(der).utf8)
        var lines = ["-----BEGIN \(label)-----"]
        for start in stride(from: 0, to: text.count, by: 64) {
            lines.append(String(decoding: text[start..<min(start + 64, text.count)], as: UTF8.self))
        }
        lines.append("-----END \(label)-----\n")
        return lines.joined(separator: "\n")
    }
}
