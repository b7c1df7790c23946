internal import JSON
internal import TunnelModel

extension Verb {
    static let help = Verb(
        syntax: VerbSyntax(
            "help",
            summary: "explain a verb or a topic",
            operands: Operands("[VERB|TOPIC]", minimum: 0, maximum: 1),
            // In words, as every start of the program makes the table of verbs.
            description: ["Topics: exit-status, disconnect-codes."],
            examples: [
                Example("utunctl help save", "explain one verb"),
                Example("utunctl help exit-status", "list how the program can end"),
            ]),
        run: { context throws(Failure) in
            let word = context.invocation.operands.first
            let text = try helpText(on: word)
            try context.output.answer(HelpAnswer(topic: word, text: text), text: text)
            return .done
        })

    private static func helpText(on word: String?) throws(Failure) -> String {
        guard let word else { return Program.helpText }
        if let verb = all.first(where: { $0.syntax.name == word }) {
            return Commands.helpText(for: verb.syntax)
        }
        if let topic = HelpTopic(rawValue: word) { return topic.text }
        let words = all.map(\.syntax.name) + HelpTopic.allCases.map(\.rawValue)
        let nearest = nearestWord(to: word, in: words).map { "did you mean \($0)? " } ?? ""
        throw Failure(
            UsageError(
                "no verb or topic \(word.shownInMessage)", hint: "\(nearest)see `utunctl help`"))
    }
}

/// Something beside the verbs that help explains.
enum HelpTopic: String, CaseIterable {
    case exitStatus = "exit-status"
    case disconnectCodes = "disconnect-codes"

    /// The explanation.
    var text: String {
        let lines =
            switch self {
            case .exitStatus:
                ["Exit status:"]
                    + columns(ExitStatus.allCases.map { ("\($0.rawValue)", $0.meaning) })
                    + ["", "Of several tunnels, the worst counts, in the order 11, 4, 3, 5, 0."]
            case .disconnectCodes:
                ["Why a tunnel ended:"]
                    + columns(DisconnectCode.allCases.map { ($0.rawValue, $0.meaning) })
            }
        return lines.joined(separator: "\n") + "\n"
    }
}

private struct HelpAnswer: JSONEncodable {
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
