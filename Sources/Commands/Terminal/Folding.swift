extension String {
    /// The text with no line wider than a terminal, broken between words; `nil` leaves it.
    ///
    /// What goes on stands below where it began, and a command that is to be typed stays whole:
    /// the terminal breaks it where it has to, and what is copied from there is one line.
    func folded(to width: Int?) -> String {
        guard let width, width >= Folding.least else { return self }
        return split(separator: "\n", omittingEmptySubsequences: false)
            .map { Folding.lines(of: String($0), width).joined(separator: "\n") }
            .joined(separator: "\n")
    }
}

/// How a line of prose is broken.
private enum Folding {
    /// In less nothing is gained.
    static let least = 20
    private static let commands: Set<Substring> = [
        "utunctl", "`utunctl", "systemctl", "journalctl", "chmod", "chown", "modprobe", "sysctl",
    ]

    static func lines(of text: String, _ width: Int) -> [String] {
        guard text.displayWidth > width else { return [text] }
        let margin = margin(of: text, width)
        var lines: [String] = []
        var line = String(text.prefix(margin))
        var used = line.displayWidth
        var isEmpty = true
        for piece in pieces(of: text.dropFirst(margin)) {
            let size = piece.displayWidth
            if !isEmpty, used + 1 + size > width {
                lines.append(line)
                line = String(repeating: " ", count: margin)
                (used, isEmpty) = (margin, true)
            }
            line += isEmpty ? piece : " \(piece)"
            used += isEmpty ? size : 1 + size
            isEmpty = false
        }
        return lines + [line]
    }

    /// Where the text of a line begins: behind its first column, where it has two.
    private static func margin(of text: String, _ width: Int) -> Int {
        let leading = text.prefix { $0 == " " }.count
        var blanks = 0
        for (place, character) in text.enumerated().dropFirst(leading) {
            if place > width / 2 { break }
            if blanks > 1, character != " " { return place }
            blanks = character == " " ? blanks + 1 : 0
        }
        return min(leading, width / 2)
    }

    /// Words, and commands with their arguments up to the end of the clause.
    private static func pieces(of text: Substring) -> [String] {
        var pieces: [String] = []
        var isCommand = false
        for word in text.split(separator: " ") {
            if isCommand, word != "or", word != "and" {
                pieces[pieces.count - 1] += " \(word)"
            } else {
                pieces.append(String(word))
                isCommand = commands.contains(word)
            }
            if let last = word.last, ",;:`".contains(last), word.count > 1 { isCommand = false }
        }
        return pieces
    }
}
