/// The lines of a text of any system.
enum TextLines {
    /// Splits at LF, CRLF and CR; a byte-order mark of UTF-8 is no part of the first line.
    static func split(_ bytes: [UInt8]) throws(QuickFileError) -> [Substring] {
        if bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) { throw .utf16 }
        let text = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes.dropFirst(3) : bytes[...]
        // Of a text that begins with ASCII, one of its first two bytes.
        if text.count % 2 == 0, text.prefix(2).contains(0), text.prefix(2) != [0, 0] {
            throw .utf16
        }
        var lines: [Substring] = []
        var start = text.startIndex
        while start < text.endIndex {
            let end = text[start...].firstIndex { $0 == lineFeed || $0 == carriageReturn }
            let line = text[start..<(end ?? text.endIndex)]
            if line.contains(0) { throw .nul(line: lines.count + 1) }
            guard let string = String(validating: line, as: UTF8.self) else {
                throw .notUTF8(line: lines.count + 1)
            }
            lines.append(string[...])
            guard let end else { break }
            let next = text.index(after: end)
            let isPair =
                text[end] == carriageReturn && next < text.endIndex
                && text[next] == lineFeed
            start = isPair ? text.index(after: next) : next
        }
        return lines
    }

    private static let lineFeed = UInt8(ascii: "\n")
    private static let carriageReturn = UInt8(ascii: "\r")
}

extension Substring {
    /// Without the blanks around it.
    var trimmed: Substring {
        let bytes = utf8.drop(while: Self.isBlank)
        let end = bytes.lastIndex { !Self.isBlank($0) }.map { bytes.index(after: $0) }
        return Substring(bytes[..<(end ?? bytes.startIndex)])
    }

    /// Without any blanks.
    var withoutBlanks: String {
        String(decoding: utf8.filter { !Self.isBlank($0) }, as: UTF8.self)
    }

    /// The pieces between separators, blanks around them taken off.
    func pieces(between isSeparator: (UInt8) -> Bool) -> [Substring] {
        utf8.split(omittingEmptySubsequences: false, whereSeparator: isSeparator)
            .map { Substring($0).trimmed }
    }

    static func isBlank(_ byte: UInt8) -> Bool {
        // What isspace(3) takes for one and can stand on a line.
        byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") || byte == 0x0B || byte == 0x0C
    }
}
