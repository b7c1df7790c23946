import TunnelModel

extension Invocation {
    /// Reads the arguments that follow the program's name.
    ///
    /// The first operand is the verb. Options and operands may be mixed, `--` ends the options,
    /// and a lone `-` is an operand. A value is given as `--name=value` or `--name value`; in the
    /// second form it must not start with `-`, a lone `-` excepted. Short flags may be joined
    /// (`-qj`). With `--help` or `--version` the operands are not counted.
    package init(parsing arguments: [String], verbs: [VerbSyntax]) throws(UsageError) {
        var parser = ArgumentParser(arguments: arguments[...], verbs: verbs)
        try parser.run()
        self.init(
            verb: parser.verb?.name,
            operands: parser.operands,
            occurrences: parser.occurrences,
            declared: parser.declared
        )
    }

    /// The verb of a command line, as far as that can be understood.
    static func verb(of arguments: [String], among verbs: [VerbSyntax]) -> String? {
        var parser = ArgumentParser(arguments: arguments[...], verbs: verbs)
        try? parser.run()
        return parser.verb?.name
    }
}

private struct ArgumentParser {
    var arguments: ArraySlice<String>
    let verbs: [VerbSyntax]
    var verb: VerbSyntax?
    var operands: [String] = []
    var occurrences: [Invocation.Occurrence] = []

    var declared: [Option] { (verb?.options ?? []) + Option.global }

    mutating func run() throws(UsageError) {
        var optionsEnded = false
        while let argument = arguments.popFirst() {
            if optionsEnded || !argument.looksLikeOption {
                try take(word: argument)
            } else if argument == "--" {
                optionsEnded = true
            } else if argument.utf8.starts(with: "--".utf8) {
                try take(long: argument)
            } else {
                try take(short: argument)
            }
        }
        try checkOperands()
    }

    // MARK: Words

    private mutating func take(word: String) throws(UsageError) {
        guard verb == nil else {
            operands.append(word)
            return
        }
        verb = verbs.first { $0.name == word }
        guard verb == nil else { return }
        throw UsageError(
            "unknown verb \(word.shownInMessage)",
            hint: hint(suggesting: nearestWord(to: word, in: verbs.map(\.name)))
        )
    }

    private func checkOperands() throws(UsageError) {
        guard let verb, !occurrences.contains(where: { ["help", "version"].contains($0.name) })
        else { return }
        let allowed = verb.operands
        if operands.count < allowed.minimum {
            throw UsageError(
                "operand missing: \(allowed.placeholder)", hint: "usage: \(verb.usage)")
        }
        if let maximum = allowed.maximum, operands.count > maximum {
            throw UsageError(
                "unexpected operand \(operands[maximum].shownInMessage)",
                hint: "usage: \(verb.usage)"
            )
        }
    }

    // MARK: Options

    private mutating func take(long argument: String) throws(UsageError) {
        // Split by bytes: as a character, a "=" before a combining mark would not be found.
        let body = argument.utf8.dropFirst(2)
        let equals = body.firstIndex(of: UInt8(ascii: "="))
        let name = String(argument[body.startIndex..<(equals ?? body.endIndex)])
        let attached = equals.map { String(argument[body.index(after: $0)...]) }
        guard let option = declared.first(where: { $0.name == name }) else {
            throw unknown("--\(name)", name: name)
        }
        try record(option, as: "--\(name)", attached: attached)
    }

    private mutating func take(short argument: String) throws(UsageError) {
        let body = argument.utf8.dropFirst()
        let equals = body.firstIndex(of: UInt8(ascii: "="))
        let cluster = argument[body.startIndex..<(equals ?? body.endIndex)]
        let letters = Array(cluster.unicodeScalars)
        guard !letters.isEmpty else { throw unknown(argument, name: "") }
        for (index, letter) in letters.enumerated() {
            let short = Character(letter)
            guard let option = declared.first(where: { $0.short == short }) else {
                let isWord = letters.count > 1
                throw unknown(isWord ? "-\(cluster)" : "-\(short)", name: String(cluster))
            }
            let isLast = index == letters.count - 1
            guard isLast || option.value == nil else {
                throw missingValue(of: option, as: "-\(short)", next: nil)
            }
            let attached = isLast ? equals.map { String(argument[body.index(after: $0)...]) } : nil
            try record(option, as: "-\(short)", attached: attached)
        }
    }

    private mutating func record(
        _ option: Option,
        as spelling: String,
        attached: String?
    ) throws(UsageError) {
        guard option.value != nil else {
            guard attached == nil else {
                throw UsageError("option \(spelling) takes no value", hint: hint())
            }
            occurrences.append(.init(name: option.name, value: nil))
            return
        }
        if !option.repeats, occurrences.contains(where: { $0.name == option.name }) {
            throw UsageError("option --\(option.name) given twice", hint: hint())
        }
        guard let value = attached ?? detachedValue() else {
            throw missingValue(of: option, as: spelling, next: arguments.first)
        }
        occurrences.append(.init(name: option.name, value: value))
    }

    private mutating func detachedValue() -> String? {
        guard let next = arguments.first, !next.looksLikeOption else { return nil }
        return arguments.popFirst()
    }

    // MARK: Errors

    private func missingValue(
        of option: Option,
        as spelling: String,
        next: String?
    ) -> UsageError {
        let message = "option \(spelling) needs a value"
        // What follows and is no option was probably meant as the value.
        if let next, next != "--", !isDeclared(next) {
            let form = "--\(option.name)=\(next)".shownInMessage
            return UsageError(message, hint: "a value that starts with - is written \(form)")
        }
        return UsageError(message, hint: "write \(option.usage); \(hint())")
    }

    private func isDeclared(_ argument: String) -> Bool {
        let name = argument.utf8.prefix { $0 != UInt8(ascii: "=") }
        return declared.contains {
            name.elementsEqual("--\($0.name)".utf8)
                || $0.short.map { name.elementsEqual("-\($0)".utf8) } ?? false
        }
    }

    private func unknown(_ spelling: String, name: String) -> UsageError {
        let ofVerbs = verb == nil ? verbs.flatMap(\.options) : []
        if let early = ofVerbs.first(where: { $0.name == name || $0.short.map(String.init) == name }
        ) {
            return UsageError(
                "option \(spelling) before the verb",
                hint: "write it after the verb: \(programName) VERB --\(early.name)"
            )
        }
        let visible = declared.filter { !$0.isHidden }.map(\.name)
        let nearest = nearestWord(to: name, in: visible).map { "--\($0)" }
        return UsageError(
            "unknown option \(spelling.shownInMessage)", hint: hint(suggesting: nearest))
    }

    private func hint(suggesting suggestion: String? = nil) -> String {
        let topic = verb.map { " \($0.name)" } ?? ""
        let see = "see `\(programName) help\(topic)`"
        guard let suggestion else { return see }
        return "did you mean \(suggestion)? \(see)"
    }
}

extension String {
    /// Whether the argument starts with `-` and is more than a lone `-`.
    fileprivate var looksLikeOption: Bool {
        // By bytes: as a character, a "-" before a combining mark would not be found.
        utf8.first == UInt8(ascii: "-") && utf8.count > 1
    }
}
