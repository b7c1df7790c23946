import LinuxSystem

/// A private key of WireGuard, with its public key, as `wg` writes them.
package struct WireGuardKey: Equatable, Sendable {
    package let secret: String
    package let publicKey: String

    /// A new key, made by `wg` itself and not by what is under test.
    package init() throws {
        secret = try Self.wg("genkey")
        publicKey = try Self.wg("pubkey", input: secret)
    }

    /// A new preshared key.
    package static func preshared() throws -> String {
        try wg("genpsk")
    }

    /// The public key of nobody, which is cheaper to have than one whose secret is known.
    package static func publicKeyOfNobody() -> String {
        // One of the 32 bytes more would have other padding.
        base64(Random.bytes(32))
    }

    private static func wg(_ verb: String, input: String? = nil) throws -> String {
        let result = try Command.run(["wg", verb], input: input.map { "\($0)\n" })
        guard result.status == 0, let line = result.output.split(separator: "\n").first else {
            throw Unexpected("wg \(verb): \(result)")
        }
        return String(line)
    }

    private static let digits = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    /// Base64 text of bytes whose number leaves 2 when divided by 3, as that of a key does.
    private static func base64(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = (0..<3).reduce(0) { sum, offset in
                let place = start + offset
                return sum << 8 | (place < bytes.count ? Int(bytes[place]) : 0)
            }
            text += [18, 12, 6, 0].map { digits[group >> $0 & 63] }
        }
        text[text.count - 1] = UInt8(ascii: "=")
        return String(decoding: text, as: UTF8.self)
    }
}
