extension String {
    /// How many columns of a terminal the text takes.
    var displayWidth: Int {
        // Nearly all text is ASCII without controls: then the bytes are the columns.
        if utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) { return utf8.count }
        return unicodeScalars.reduce(0) { $0 + $1.displayWidth }
    }

    /// The text in no more than `columns`, with `mark` at its end where something is missing.
    ///
    /// A wide character is there whole or not at all, and what belongs to one stays with it.
    func cut(to columns: Int, mark: String) -> String {
        guard displayWidth > columns else { return self }
        let room = columns - mark.displayWidth
        guard room >= 0 else { return "" }
        var kept = ""
        var width = 0
        for character in self {
            let text = String(character)
            width += text.displayWidth
            if width > room { break }
            kept += text
        }
        return kept + mark
    }

    /// The text with `?` for each character that is not ASCII.
    var inASCII: String {
        if utf8.allSatisfy({ $0 < 0x80 }) { return self }
        return String(map { $0.isASCII ? $0 : "?" })
    }

    /// The text with the signs of the program's own in ASCII, for a locale that has no others;
    /// names and texts of others stay as they are.
    var inPlainSigns: String {
        if utf8.allSatisfy({ $0 < 0x80 }) { return self }
        let signs: [Unicode.Scalar: String] = ["…": "...", "→": "->", "µ": "u"]
        return unicodeScalars.map { signs[$0] ?? String($0) }.joined()
    }

    /// The text with nothing in it that could steer a terminal.
    var shownOnTerminal: String {
        utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F } ? self : escapingControls
    }
}

extension Unicode.Scalar {
    /// As wcwidth(3) has it, which knows nothing beyond ASCII before a locale is set.
    fileprivate var displayWidth: Int {
        switch properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format, .control: return 0
        default: break
        }
        if properties.isEmojiPresentation { return 2 }
        return Self.wide.contains { $0.contains(value) } ? 2 : 1
    }

    /// What is wide in Unicode's EastAsianWidth.txt, in blocks.
    private static let wide: [ClosedRange<UInt32>] = [
        0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0x9FFF,
        0xA000...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE10...0xFE19,
        0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1_B000...0x1_B2FF,
        0x1_F200...0x1_F2FF, 0x2_0000...0x3_FFFD,
    ]
}
