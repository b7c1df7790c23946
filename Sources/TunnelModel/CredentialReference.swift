/// Where a secret lies; a configuration never holds the secret itself.
package enum CredentialReference: Equatable, Sendable {
    /// `file:PATH`: absolute, or below the credentials directory.
    case file(String)
    /// `credential:NAME`: handed over by systemd in `$CREDENTIALS_DIRECTORY`.
    case systemd(String)

    /// Reads a reference; anything else, and paths that climb out, are none.
    package init?(_ text: String) {
        if text.hasPrefix(Self.filePrefix) {
            let path = String(text.dropFirst(Self.filePrefix.count))
            guard Naming.isFilePath(path) else { return nil }
            self = .file(path)
        } else if text.hasPrefix(Self.systemdPrefix) {
            let name = String(text.dropFirst(Self.systemdPrefix.count))
            guard Naming.isFilePath(name), !name.utf8.contains(UInt8(ascii: "/")) else {
                return nil
            }
            self = .systemd(name)
        } else {
            return nil
        }
    }

    /// What keeps a text from being a reference; it never holds the text, which may be the
    /// secret.
    package static func problem(of text: String) -> String? {
        guard CredentialReference(text) == nil else { return nil }
        if text.hasPrefix(filePrefix) {
            return "not the path of a file, absolute or below the credentials directory, without .."
        }
        if text.hasPrefix(systemdPrefix) { return "not the name of a credential of systemd" }
        let forms = "not file:PATH or credential:NAME"
        if let scheme = commands.first(where: { text.hasPrefix("\($0):") }) {
            return "\(forms): nothing is run for a secret, by \(scheme): or otherwise"
        }
        if let scheme = others.first(where: { text.hasPrefix("\($0):") }) {
            return "\(forms): there is no \(scheme):"
        }
        return forms
    }

    private static let filePrefix = "file:"
    private static let systemdPrefix = "credential:"
    // Only what other programs call so: the text before a colon may be part of a secret.
    private static let commands = ["exec", "cmd", "command", "program", "script", "shell", "sh"]
    private static let others = [
        "env", "environment", "fd", "stdin", "data", "base64", "inline", "raw", "text", "pass",
        "plain", "keyring", "vault", "pkcs11", "tpm2", "http", "https",
    ]
}
