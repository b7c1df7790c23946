/// The bytes of an XML text, read from the front, with lines and columns.
///
/// Nothing is looked up or read beside these bytes: an external entity has no way to be one.
struct XMLText {
    private let bytes: [UInt8]
    private(set) var position: Int
    private let end: Int
    private var lineStart: Int
    private var line = 1
    private var counted: Int

    init(_ bytes: [UInt8]) throws(PropertyListError) {
        let isMarked = bytes.starts(with: [0xEF, 0xBB, 0xBF])
        self.bytes = bytes
        position = isMarked ? 3 : 0
        lineStart = position
        counted = position
        end = bytes.count
        if bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF])
            || bytes.prefix(2).contains(0)
        {
            throw PropertyListError("the text is UTF-16 or UTF-32, not UTF-8: save it as UTF-8")
        }
    }

    var isAtEnd: Bool { position >= end }

    /// The next byte; `nil` at the end.
    var next: UInt8? { position < end ? bytes[position] : nil }

    /// The line of what comes next.
    mutating func currentLine() -> Int {
        while counted < position {
            let byte = bytes[counted]
            counted += 1
            // A carriage return alone ends a line as well.
            let ends =
                byte == UInt8(ascii: "\n")
                || byte == UInt8(ascii: "\r")
                    && !(counted < end && bytes[counted] == UInt8(ascii: "\n"))
            if ends {
                line += 1
                lineStart = counted
            }
        }
        return line
    }

    /// The error of what comes next.
    mutating func error(_ problem: String) -> PropertyListError {
        let line = currentLine()
        return PropertyListError(problem, line: line, column: position - lineStart + 1)
    }

    /// Whether a text comes next.
    func isNext(_ text: StaticString) -> Bool {
        let count = text.utf8CodeUnitCount
        guard position + count <= end else { return false }
        return bytes[position..<position + count].elementsEqual("\(text)".utf8)
    }

    /// Takes a text if it comes next.
    mutating func skip(_ text: StaticString) -> Bool {
        guard isNext(text) else { return false }
        position += text.utf8CodeUnitCount
        return true
    }

    mutating func advance() {
        position += 1
    }

    mutating func skipBlanks() {
        while let byte = next, Self.isBlank(byte) { position += 1 }
    }

    /// Takes what comes before a text, and the text.
    mutating func skip(past text: StaticString) -> Bool {
        while !isAtEnd {
            if skip(text) { return true }
            position += 1
        }
        return false
    }

    /// Takes what comes until a byte is one of those that end it.
    mutating func take(until isEnd: (UInt8) -> Bool) -> ArraySlice<UInt8> {
        let start = position
        while let byte = next, !isEnd(byte) { position += 1 }
        return bytes[start..<position]
    }

    /// What stands in a range of positions.
    func slice(_ range: Range<Int>) -> ArraySlice<UInt8> { bytes[range] }

    static func isBlank(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\n"), UInt8(ascii: "\r"): true
        default: false
        }
    }
}
