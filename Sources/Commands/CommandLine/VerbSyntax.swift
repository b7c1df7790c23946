/// How many operands a verb takes, and how help texts call them.
package struct Operands: Equatable, Sendable {
    /// What help texts print, such as `NAME…` or `[NAME…]`; empty where there are none.
    package let placeholder: String
    /// The fewest operands that are accepted.
    package let minimum: Int
    /// The most operands that are accepted, or nil for any number.
    package let maximum: Int?

    /// Declares the operands of a verb.
    package init(_ placeholder: String, minimum: Int, maximum: Int?) {
        self.placeholder = placeholder
        self.minimum = minimum
        self.maximum = maximum
    }

    /// Whether one of the operands is called by a word.
    func names(_ word: String) -> Bool {
        placeholder.split { !$0.isLetter }.contains { $0 == word }
    }

    /// No operand at all.
    package static let none = Operands("", minimum: 0, maximum: 0)
}

/// A command worth showing, with what it does.
package struct Example: Equatable, Sendable {
    /// The whole command line.
    package let command: String
    /// What it does, in one sentence without a full stop.
    package let what: String

    /// Declares an example.
    package init(_ command: String, _ what: String) {
        self.command = command
        self.what = what
    }
}

/// What the command line of one verb looks like: the source of its parsing and of its help text.
package struct VerbSyntax: Equatable, Sendable {
    /// The verb as it is typed.
    package let name: String
    /// What the verb does, on one line.
    package let summary: String
    /// The operands it takes.
    package let operands: Operands
    /// Its own options, beside the global ones.
    package let options: [Option]
    /// The paragraphs of its help text.
    package let description: [String]
    /// The examples of its help text.
    package let examples: [Example]

    /// Declares the syntax of a verb.
    package init(
        _ name: String,
        summary: String,
        operands: Operands = .none,
        options: [Option] = [],
        description: [String] = [],
        examples: [Example] = []
    ) {
        self.name = name
        self.summary = summary
        self.operands = operands
        self.options = options
        self.description = description
        self.examples = examples
    }

    /// The command in its general form, such as `utunctl start [OPTION…] NAME…`.
    var usage: String {
        let words = [programName, name, "[OPTION…]", operands.placeholder]
        return words.filter { !$0.isEmpty }.joined(separator: " ")
    }
}
