/// The simple commands of a line of shell, as far as they can be told without running it.
///
/// Nothing is expanded: variables, substitutions and patterns stay the text that they are.
struct ShellLine {
    /// A command and where its output goes.
    struct Command: Equatable {
        var words: [String] = []
        /// The file behind `>` or `>>`, those of descriptors excepted.
        var output: String?
        /// Whether other commands are run to make words of it.
        var isSubstituted = false
    }

    /// In the order of the line, whatever decides whether each of them is run.
    private(set) var commands: [Command] = []

    private var text: Substring.UTF8View
    private var command = Command()
    private var word: [UInt8] = []
    private var isInWord = false
    private var redirection: UInt8?

    /// Reads a line; `nil` for what is more than a list of commands, or no shell at all.
    init?(_ line: Substring) {
        text = line.utf8
        while let byte = text.popFirst() {
            guard take(byte) else { return nil }
        }
        endCommand()
    }

    private mutating func take(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: " "), UInt8(ascii: "\t"), 0x0B, 0x0C: endWord()
        case UInt8(ascii: "'"): return takeQuoted(until: byte)
        case UInt8(ascii: "\""): return takeDoublyQuoted()
        case UInt8(ascii: "\\"):
            guard let next = text.popFirst() else { return false }
            append([next])
        case UInt8(ascii: "`"): return takeBackquoted()
        case UInt8(ascii: "$"): return takeExpansion()
        case UInt8(ascii: ";"): endCommand()
        case UInt8(ascii: "&"): takeAmpersand()
        case UInt8(ascii: "|"): takeBar()
        case UInt8(ascii: ">"), UInt8(ascii: "<"): return takeRedirection(byte)
        case UInt8(ascii: "("), UInt8(ascii: ")"): return false
        default: append([byte])
        }
        return true
    }

    private mutating func append(_ bytes: some Sequence<UInt8>) {
        word += bytes
        isInWord = true
    }

    // MARK: Quotes and expansions

    private mutating func takeQuoted(until end: UInt8) -> Bool {
        guard let close = text.firstIndex(of: end) else { return false }
        append(text[..<close])
        text = text[text.index(after: close)...]
        return true
    }

    private mutating func takeBackquoted() -> Bool {
        append([UInt8(ascii: "`")])
        guard takeQuoted(until: UInt8(ascii: "`")) else { return false }
        append([UInt8(ascii: "`")])
        command.isSubstituted = true
        return true
    }

    private mutating func takeDoublyQuoted() -> Bool {
        append([])
        while let byte = text.popFirst() {
            switch byte {
            case UInt8(ascii: "\""): return true
            case UInt8(ascii: "\\"):
                guard let next = text.popFirst() else { return false }
                append([next])
            case UInt8(ascii: "$"): guard takeExpansion() else { return false }
            case UInt8(ascii: "`"): guard takeBackquoted() else { return false }
            default: append([byte])
            }
        }
        return false
    }

    /// What follows a dollar: of `$(…)` and `${…}` all of it is one piece of a word.
    private mutating func takeExpansion() -> Bool {
        append([UInt8(ascii: "$")])
        switch text.first {
        case UInt8(ascii: "("): return takeNested(UInt8(ascii: "("), UInt8(ascii: ")"))
        case UInt8(ascii: "{"): return takeNested(UInt8(ascii: "{"), UInt8(ascii: "}"))
        default: return true
        }
    }

    private mutating func takeNested(_ open: UInt8, _ close: UInt8) -> Bool {
        var depth = 0
        while let byte = text.popFirst() {
            append([byte])
            // Within braces there may be more of them.
            if byte == UInt8(ascii: "(") || byte == UInt8(ascii: "`") {
                command.isSubstituted = true
            }
            if byte == open { depth += 1 }
            if byte == close { depth -= 1 }
            if depth == 0 { return true }
        }
        return false
    }

    // MARK: Operators

    private mutating func takeAmpersand() {
        if text.first == UInt8(ascii: ">") {
            // Both outputs: `&>FILE`.
            endWord()
            _ = text.popFirst()
            redirection = UInt8(ascii: ">")
            return
        }
        if text.first == UInt8(ascii: "&") { _ = text.popFirst() }
        endCommand()
    }

    private mutating func takeBar() {
        guard text.first != UInt8(ascii: "|") else {
            _ = text.popFirst()
            return endCommand()
        }
        endCommand()
    }

    private mutating func takeRedirection(_ byte: UInt8) -> Bool {
        // The number before it is that of a descriptor.
        if isInWord, word.allSatisfy({ (0x30...0x39).contains($0) }) {
            word = []
            isInWord = false
        }
        endWord()
        if text.first == UInt8(ascii: "(") {
            // `<(…)` is a word: the name of a file that a command writes.
            append([byte])
            return takeNested(UInt8(ascii: "("), UInt8(ascii: ")"))
        }
        while text.first == byte { _ = text.popFirst() }
        if text.first == UInt8(ascii: "&") {
            _ = text.popFirst()
            text = text.drop { (0x30...0x39).contains($0) || $0 == UInt8(ascii: "-") }
            return true
        }
        redirection = byte
        return true
    }

    private mutating func endWord() {
        guard isInWord else { return }
        let text = String(decoding: word, as: UTF8.self)
        word = []
        isInWord = false
        switch redirection {
        case UInt8(ascii: ">"): command.output = text
        case nil: command.words.append(text)
        default: break
        }
        redirection = nil
    }

    private mutating func endCommand() {
        endWord()
        redirection = nil
        if !command.words.isEmpty { commands.append(command) }
        command = Command()
    }
}
