internal import Preferences

extension CredentialError {
    /// What mends it; `nil` where that depends.
    var remedy: String? {
        switch fault {
        case .missing:
            file.map { Self.writing($0, for: name) }
                ?? "write the secret to \(path), with mode 0600"
        case .empty:
            file.map { Self.writing($0, for: name, replacing: true) }
                ?? "write the secret to \(path)"
        case .wrongType:
            "move \(path) away" + (file.map { ", then " + Self.writing($0, for: name) } ?? "")
        case .unsafe: "chown root \(path) && chmod 0600 \(path)"
        case .other: nil
        }
    }

    /// The command that writes a file of the store, which a configuration calls `name`.
    static func writing(_ file: String, for name: String, replacing: Bool = false) -> String {
        let option = replacing ? "--replace " : ""
        let set = "utunctl credential set \(option)\(file)"
        // The name by which WireGuard has its own key, which is made here and nowhere else.
        return name == "privateKey"
            ? "utunctl genkey \(option)\(file), or \(set) for a key that is there" : set
    }
}
