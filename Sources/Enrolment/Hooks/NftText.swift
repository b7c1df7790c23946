/// A text of nft(8), as far as it can be read without knowing the host's tables.
enum NftText {
    /// A word of it; what stands in quotation marks is never a keyword.
    struct Word: Equatable {
        var text: String
        var isQuoted = false

        /// What it is to the grammar; `nil` where it is quoted.
        var keyword: String? { isQuoted ? nil : text }
    }

    /// The statements of a text; `nil` where it ends within quotes or braces.
    static func statements(of text: String) -> [[Word]]? {
        guard let words = words(of: text) else { return nil }
        var statements: [[Word]] = [[]]
        var depth = 0
        for word in words {
            if word.keyword == ";", depth == 0 {
                statements.append([])
                continue
            }
            if word.keyword == "{" { depth += 1 }
            if word.keyword == "}" { depth -= 1 }
            guard depth >= 0 else { return nil }
            statements[statements.count - 1].append(word)
        }
        return depth == 0 ? statements.filter { !$0.isEmpty } : nil
    }

    /// The words of a text, braces and semicolons on their own; comments are none.
    private static func words(of text: String) -> [Word]? {
        var words: [Word] = []
        var word: [UInt8] = []
        func end() {
            if !word.isEmpty { words.append(Word(text: String(decoding: word, as: UTF8.self))) }
            word = []
        }
        var bytes = text.utf8[...]
        while let byte = bytes.popFirst() {
            switch byte {
            case UInt8(ascii: " "), UInt8(ascii: "\t"): end()
            case UInt8(ascii: "\""):
                end()
                guard let close = bytes.firstIndex(of: byte) else { return nil }
                words.append(Word(text: String(bytes[..<close]) ?? "", isQuoted: true))
                bytes = bytes[bytes.index(after: close)...]
            case UInt8(ascii: "{"), UInt8(ascii: "}"), UInt8(ascii: ";"), UInt8(ascii: ","):
                end()
                words.append(Word(text: String(decoding: [byte], as: UTF8.self)))
            case UInt8(ascii: "#"):
                bytes = bytes[bytes.endIndex...]
            default: word.append(byte)
            }
        }
        end()
        return words
    }
}
