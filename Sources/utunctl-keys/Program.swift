import Glibc
import LinuxSystem
import WireGuard

/// Prints the public key of the private key on standard input, both in base64.
///
/// A program of its own: what computes it would make each start of `utunctl` slower.
@main
enum Program {
    static func main() {
        SignalDescriptor.ignoreBrokenPipes()
        do {
            try printPublicKey()
        } catch let error as SystemError {
            fail(error.text)
        } catch {
            fail("\(error)")
        }
    }

    private static func printPublicKey() throws {
        try Privilege.protectProcess()
        let suite = try CipherSuite()
        let text = try readStandardInput(limit: 256)
        let key = text.last == UInt8(ascii: "\n") ? text.dropLast() : text[...]
        let publicKey = key.withUnsafeBytes { bytes -> String? in
            guard let key = SecretKey(base64: bytes) else { return nil }
            return suite.publicKey(of: key).base64
        }
        guard let publicKey else { throw SystemError("the private key", errno: EINVAL) }
        try writeToStandard(STDOUT_FILENO, Array("\(publicKey)\n".utf8))
    }

    private static func fail(_ text: String) -> Never {
        try? writeToStandard(STDERR_FILENO, Array("utunctl-keys: \(text)\n".utf8))
        exit(1)
    }
}
