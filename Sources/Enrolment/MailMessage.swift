/// A message as mail carries it (S/MIME, RFC 8551), which holds what could be enrolled.
package enum MailMessage {
    /// No header of such a message is longer.
    private static let longestHeader = 4096

    private static let types = ["multipart/signed", "application/pkcs7-", "application/x-pkcs7-"]

    /// Whether bytes begin with the header of a message that is signed or encrypted.
    package static func isSecured(_ bytes: [UInt8]) -> Bool {
        let text = String(decoding: bytes.prefix(longestHeader), as: UTF8.self).lowercased()
        for line in text.split(
            omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        {
            // An empty line ends the header.
            if line.isEmpty { return false }
            guard line.hasPrefix("content-type:") else { continue }
            let type = line.dropFirst("content-type:".utf8.count).drop { $0 == " " }
            return types.contains { type.hasPrefix($0) }
        }
        return false
    }
}
