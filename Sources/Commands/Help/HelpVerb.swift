internal import JSON
internal import LinuxSystem
internal import TunnelModel

extension Verb {
    static let help = Verb(
        syntax: VerbSyntax(
            "help",
            summary: "explain a verb, a topic, an exit status or a code",
            operands: Operands("[VERB|TOPIC|STATUS|CODE]", minimum: 0, maximum: 1),
            // In words, as every start of the program makes the table of verbs.
            description: [
                "Topics: exit-status, disconnect-codes, warnings, status-json, environment, files.",
                "A code is that of an error, of a disconnect or of a warning.",
            ],
            examples: [
                Example("utunctl help save", "explain one verb"),
                Example("utunctl help exit-status", "list how the program can end"),
                Example("utunctl help 6", "explain one exit status"),
                Example("utunctl help providerCrashed", "explain one code"),
            ]),
        run: { context throws(Failure) in
            let word = context.invocation.operands.first
            let text = try helpText(on: word)
            try context.output.answer(
                HelpAnswer(topic: word, text: text),
                text: text.folded(to: TerminalSize.ofStandardOutput?.columns))
            return .done
        })

    private static func helpText(on word: String?) throws(Failure) -> String {
        guard let word else { return Program.helpText }
        if let verb = all.first(where: { $0.syntax.name == word }) {
            return Commands.helpText(for: verb.syntax)
        }
        if let topic = HelpTopic(rawValue: word) { return topic.text }
        if let text = CodeMeaning.text(of: word) { return text }
        let words =
            all.map(\.syntax.name) + HelpTopic.allCases.map(\.rawValue) + CodeMeaning.codes
        let nearest = nearestWord(to: word, in: words).map { "did you mean \($0)? " } ?? ""
        throw Failure(
            UsageError(
                "no verb, topic or code \(word.shownInMessage)",
                hint: "\(nearest)see `utunctl help`"))
    }
}

/// What `help` and `--help` print as JSON.
struct HelpAnswer: JSONEncodable {
    let topic: String?
    let text: String

    func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("formatVersion", 1)
            writer.member("topic", topic)
            writer.member("text", text)
        }
    }
}
