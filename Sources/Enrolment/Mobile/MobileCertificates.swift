internal import PropertyLists
internal import TunnelModel

/// The certificates in a payload, as PEM each.
enum MobileCertificates {
    /// More than any bundle of authorities has.
    private static let most = 1000
    private static let label = "CERTIFICATE"

    /// The certificates in data of either form; `problem` says why there are none.
    static func certificates(in data: [UInt8]) -> (pems: [String], problem: String?) {
        if isCertificate(data) { return ([pem(data)], nil) }
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
                    let der = Base64.decode(taken), isCertificate(der)
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

    /// Whether bytes are one SEQUENCE of DER and nothing behind it, with a SEQUENCE in it: what a
    /// private key begins with is a number.
    private static func isCertificate(_ bytes: [UInt8]) -> Bool {
        guard bytes.count >= 4, bytes[0] == 0x30 else { return false }
        let short = Int(bytes[1])
        let digits = short < 0x80 ? 0 : short & 0x7F
        guard digits <= 3, short != 0x80, bytes.count > 2 + digits else { return false }
        let long = bytes[2..<2 + digits].reduce(0) { $0 << 8 | Int($1) }
        let length = digits == 0 ? short : long
        return bytes.count == 2 + digits + length && bytes[2 + digits] == 0x30
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
