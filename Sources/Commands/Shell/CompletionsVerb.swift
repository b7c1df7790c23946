internal import JSON
internal import LinuxSystem
internal import Preferences
internal import TunnelModel

extension Verb {
    static let completions = Verb(
        syntax: VerbSyntax(
            "completions",
            summary: "print the completion script of a shell",
            operands: Operands("bash | zsh | fish", minimum: 0, maximum: 1),
            options: [
                Option(
                    "words", value: "KIND", isHidden: true,
                    summary: "print the words that a script asks for")
            ],
            description: [
                "The script offers verbs, options, names of configurations, of providers and of"
                    + " keys. Packages install all three."
            ],
            examples: [
                Example(
                    "utunctl completions bash >/etc/bash_completion.d/utunctl",
                    "have bash complete, where no package has installed it")
            ]),
        run: { context throws(Failure) in try CompletionsCommand(context: context).run() })
}

private struct CompletionsAnswer: JSONEncodable {
    let shell: String
    let script: String

    func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("formatVersion", 1)
            writer.member("shell", shell)
            writer.member("script", script)
        }
    }
}

private struct CompletionsCommand {
    let context: Context

    func run() throws(Failure) -> ExitStatus {
        if let kind = context.invocation.value("words") {
            let words = words(kind)
            try context.output.answer(
                ListAnswer(key: "words", elements: words), text: words.joined(separator: "\n"))
            return .done
        }
        guard let shell = Shell(rawValue: context.operand) else {
            let shells = Shell.allCases.map(\.rawValue).joined(separator: ", ")
            throw Failure(
                UsageError(
                    context.operand.isEmpty
                        ? "no shell given" : "no script for \(context.operand.shownInMessage)",
                    hint: "one of \(shells)"))
        }
        let script = shell.script(Verb.all.map(\.syntax))
        try context.output.answer(
            CompletionsAnswer(shell: shell.rawValue, script: script), text: script)
        return .done
    }

    /// What cannot be read is no word: a shell has no place for errors.
    ///
    /// Nor is what is no valid name: the names of files are whatever somebody made them.
    private func words(_ kind: String) -> [String] {
        let layout = context.layout
        return switch CompletionWords.questions.first(where: { $0.question == kind }) {
        case .configurations: (try? context.preferences())?.configurations.map(\.name) ?? []
        case .providers:
            ProviderRegistry(layout).entries.map(\.identifier).filter {
                Naming.problem(ofProvider: $0) == nil
            }
        case .keys: KeyPaths.all
        case .profiles:
            ProfileStore(layout).names.filter { Naming.problem(ofProfile: $0) == nil }
        case .credentials:
            ((try? Directory.names(layout.credentialsDirectory)) ?? []).sorted().filter {
                Naming.problem(ofCredential: $0) == nil
            }
        default: []
        }
    }
}
