/// Where a secret lies; a configuration never holds the secret itself.
package enum CredentialReference: Equatable, Sendable {
    /// `file:PATH`: absolute, or below the credentials directory.
    case file(String)
    /// `credential:NAME`: handed over by systemd in `$CREDENTIALS_DIRECTORY`.
    case systemd(String)

    /// Reads a reference; anything else, and paths that climb out, are none.
    package init?(_ text: String) {
        if text.hasPrefix("file:") {
            let path = String(text.dropFirst(5))
            guard Naming.isFilePath(path) else { return nil }
            self = .file(path)
        } else if text.hasPrefix("credential:") {
            let name = String(text.dropFirst(11))
            guard Naming.isFilePath(name), !name.utf8.contains(UInt8(ascii: "/")) else {
                return nil
            }
            self = .systemd(name)
        } else {
            return nil
        }
    }
}
