/// The completion of fish(1).
struct FishCompletion {
    private let verbs: [VerbSyntax]

    init(_ verbs: [VerbSyntax]) {
        self.verbs = verbs
    }

    /// The script.
    var script: String {
        let names = verbs.map(\.name).joined(separator: " ")
        let valued = Option.valuedSpellings(verbs)
        var lines = [
            "# Completion of utunctl for fish, as `utunctl completions fish` prints it.",
            "",
            "function __utunctl_ask",
            "    set -l words (commandline -opc)",
            "    set -l place (contains -i -- --root $words)",
            "    and set -l root --root $words[(math $place + 1)]",
            "    utunctl $root completions --words $argv[1] 2>/dev/null",
            "end",
            "",
            "# Whether that many words stand there which are no options, the verb among them.",
            "function __utunctl_behind",
            "    set -l count 0",
            "    set -l is_value 0",
            "    for word in (commandline -opc)[2..-1]",
            "        if test $is_value = 1",
            "            set is_value 0",
            "            continue",
            "        end",
            "        switch $word",
            "            case \(valued.joined(separator: " "))",
            "                set is_value 1",
            "            case '-*'",
            "            case '*'",
            "                set count (math $count + 1)",
            "        end",
            "    end",
            "    test $count -eq $argv[1]",
            "end",
            "",
            "complete -c utunctl -f",
        ]
        let isFirst = "not __fish_seen_subcommand_from \(names)"
        for verb in verbs {
            lines.append(
                "complete -c utunctl -n \(isFirst.quotedForShell) -a \(verb.name)"
                    + " -d \(verb.summary.quotedForShell)")
        }
        lines += Option.global.map { line($0, condition: nil) }
        for verb in verbs { lines += self.lines(verb) }
        return lines.joined(separator: "\n") + "\n"
    }

    private func lines(_ verb: VerbSyntax) -> [String] {
        let isVerb = "__fish_seen_subcommand_from \(verb.name)"
        var lines = verb.options.filter { !$0.isHidden }.map { line($0, condition: isVerb) }
        let actions = CompletionWords.actions(of: verb)
        guard !actions.isEmpty else {
            let operands = CompletionWords.operands(of: verb, verbs: verbs.map(\.name))
            let areAlike = CompletionWords.areAlike(verb.operands)
            lines += operandLine(
                operands, condition: areAlike ? isVerb : "\(isVerb); and __utunctl_behind 1")
            if CompletionWords.rest(of: verb) == .command {
                let isCommand = "\(isVerb); and contains -- -- (commandline -opc)"
                lines += operandLine(.command, condition: isCommand)
            }
            return lines
        }
        let words = actions.map(\.action).joined(separator: " ")
        lines.append(
            "complete -c utunctl -n "
                + "\(isVerb); and not __fish_seen_subcommand_from \(words)".quotedForShell
                + " -a \(words.quotedForShell)")
        for action in actions {
            let isAction = "\(isVerb); and __fish_seen_subcommand_from \(action.action)"
            lines += operandLine(
                action.operands,
                condition: action.areAlike ? isAction : "\(isAction); and __utunctl_behind 2")
        }
        return lines
    }

    private func operandLine(_ words: CompletionWords, condition: String) -> [String] {
        guard let offer = offer(words) else { return [] }
        return ["complete -c utunctl -n \(condition.quotedForShell) \(offer)"]
    }

    private func line(_ option: Option, condition: String?) -> String {
        var line = "complete -c utunctl"
        if let condition { line += " -n \(condition.quotedForShell)" }
        line += " -l \(option.name)"
        if let short = option.short { line += " -s \(short)" }
        if let values = CompletionWords.values(of: option) {
            // Only a file may be any word.
            line += values == .files ? " -r -F" : " -x"
            if values != .files, let offer = offer(values) { line += " \(offer)" }
        }
        return line + " -d \(option.summary.quotedForShell)"
    }

    private func offer(_ words: CompletionWords) -> String? {
        switch words {
        case .files: "-F"
        case .directories: "-a '(__fish_complete_directories)'"
        case .command: "-a '(__fish_complete_subcommand --fcs-skip=4)'"
        case .words(let words): "-a \(words.joined(separator: " ").quotedForShell)"
        case .configurations, .providers, .keys, .profiles, .credentials:
            "-a '(__utunctl_ask \(words.question ?? ""))'"
        case .nothing: nil
        }
    }
}
