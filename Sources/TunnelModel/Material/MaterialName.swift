internal import JSON

/// What the name of a key tells of its value.
struct MaterialName {
    /// Whether a secret is what the value would be.
    let isSecret: Bool
    /// Whether that may be a number.
    let isPassword: Bool
    /// Whether a public key is what the value would be.
    let isPublicKey: Bool
    /// Whether the hash of a certificate is what the value may be.
    let isPin: Bool
    private let sense: VerificationSwitch?

    init(_ key: String) {
        let endings = Self.endings(of: key)
        func ends(in words: Set<String>) -> Bool {
            if endings.contains(where: words.contains) { return true }
            // Long words are what they are without a boundary before them too: wgprivatekey.
            guard let whole = endings.first else { return false }
            return words.contains { $0.utf8.count >= 8 && whole.hasSuffix($0) }
        }
        let isAboutOne = Self.isAboutOne(endings)
        isPassword = !isAboutOne && ends(in: Self.passwords)
        let isShort = endings.first?.hasSuffix("psk") == true
        isSecret = !isAboutOne && (isPassword || isShort || ends(in: Self.secrets))
        isPublicKey = ends(in: Self.publicKeys)
        isPin = ends(in: Self.pins)
        // Whether a peer still answers is no question of who it is.
        let isLiveness = endings.contains { $0.hasPrefix("deadpeer") }
        sense = isLiveness ? nil : endings.lazy.compactMap { VerificationSwitch($0) }.first
    }

    /// Whether a name tells what is done with a secret rather than what it is: savePassword.
    private static func isAboutOne(_ endings: [String]) -> Bool {
        guard endings.count > 1 else { return false }
        return verbs.contains(String(endings[0].dropLast(endings[1].utf8.count)))
    }

    private static let verbs: Set = [
        "save", "store", "remember", "cache", "keep", "allow", "require", "request", "max", "min",
        "minimum", "maximum", "has", "use",
    ]

    /// Whether a value switches the verification of the peer off.
    func switchesOff(_ value: JSONValue) -> Bool {
        switch sense {
        case .offWhenSet?: Self.isOn(value)
        case .offWhenClear?: Self.isOff(value)
        case nil: false
        }
    }

    /// Whether a text under the name of a secret is none: it is empty, or says whether to ask.
    static func isNoSecret(_ text: String) -> Bool {
        text.isEmpty || questions.contains(text.lowercased())
    }

    private static let passwords: Set = [
        "password", "passwords", "passwd", "passphrase", "passcode", "pass", "pwd", "pw", "pincode",
        "secret", "psk",
    ]
    private static let secrets: Set = [
        "secrets", "privatekey", "privatekeypem", "privkey", "presharedkey", "sharedkey",
        "secretkey", "encryptionkey",
        "apikey", "authkey", "wepkey", "token", "tokens",
    ]
    private static let publicKeys: Set = ["publickey", "publickeys", "pubkey"]
    private static let pins: Set = [
        "pin", "pins", "fingerprint", "fingerprints", "thumbprint", "sha256", "pinsha256",
    ]
    private static let questions: Set = ["true", "false", "yes", "no", "none", "ask", "prompt"]
    private static let on: Set = [
        "true", "yes", "on", "1", "enabled", "enable", "always", "all", "any",
    ]
    private static let off: Set = [
        "false", "no", "off", "0", "none", "never", "disabled", "disable", "skip", "insecure",
        "cert_none", "ssl_verify_none",
    ]

    private static func isOn(_ value: JSONValue) -> Bool {
        switch value {
        case .bool(let flag): flag
        case .integer(let number): number != 0
        case .string(let text): on.contains(text.lowercased())
        case .null, .real, .array, .object: false
        }
    }

    private static func isOff(_ value: JSONValue) -> Bool {
        switch value {
        case .bool(let flag): !flag
        case .integer(let number): number == 0
        case .string(let text): off.contains(text.lowercased())
        case .null, .real, .array, .object: false
        }
    }

    /// A name in lower case without what separates words, from each of its words on:
    /// `tlsSkipVerify` is `tlsskipverify`, `skipverify` and `verify`.
    private static func endings(of key: String) -> [String] {
        var words: [[UInt8]] = [[]]
        let bytes = Array(key.utf8)
        for (index, byte) in bytes.enumerated() {
            let isUpper = (0x41...0x5A).contains(byte)
            let lower = isUpper ? byte + 0x20 : byte
            let isLetter = (0x61...0x7A).contains(lower)
            guard isLetter || (0x30...0x39).contains(byte) else {
                words.append([])
                continue
            }
            // A word begins at a capital after a small letter, and at the last of several.
            let follows = index > 0 && (0x61...0x7A).contains(bytes[index - 1])
            let leads =
                index + 1 < bytes.count && (0x61...0x7A).contains(bytes[index + 1])
            if isUpper, follows || leads { words.append([]) }
            words[words.count - 1].append(lower)
        }
        // Of several they are numbered: presharedKey2.
        while let last = words.last?.last, (0x30...0x39).contains(last), words.joined().count > 1,
            !words.joined().elementsEqual("sha256".utf8)
        {
            words[words.count - 1].removeLast()
            if words[words.count - 1].isEmpty { words.removeLast() }
        }
        words.removeAll(where: \.isEmpty)
        return words.indices.map { start in
            String(decoding: words[start...].joined(), as: UTF8.self)
        }
    }
}
