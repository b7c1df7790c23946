/// What of a file may be shown in a message: a secret could stand anywhere by mistake.
enum ShownText {
    /// Whether a key has the form of a name, and not that of what might be a secret.
    static func isName(_ key: String) -> Bool {
        let isPlain = key.utf8.allSatisfy { byte in
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "_"), UInt8(ascii: "-"),
                UInt8(ascii: "."):
                true
            default: false
            }
        }
        return isPlain && (1..<40).contains(key.utf8.count)
    }

    /// A text without what is not to be shown, wherever it stands in it.
    static func text(_ text: String, without secret: String) -> String {
        let secret = Array(secret.utf8)
        guard secret.count > 1 else { return text }
        var shown: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.first {
            if rest.starts(with: secret) {
                shown += "…".utf8
                rest = rest.dropFirst(secret.count)
            } else {
                shown.append(byte)
                rest = rest.dropFirst()
            }
        }
        return String(decoding: shown, as: UTF8.self)
    }
}
