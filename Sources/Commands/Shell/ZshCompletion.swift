/// The completion of zsh(1).
struct ZshCompletion {
    private let verbs: [VerbSyntax]

    init(_ verbs: [VerbSyntax]) {
        self.verbs = verbs
    }

    /// The script.
    var script: String {
        """
        #compdef utunctl
        # Completion of utunctl for zsh, as `utunctl completions zsh` prints it.

        _utunctl_ask() {
            local -a found root=()
            local place=${words[(i)--root]}
            (( place < CURRENT )) && root=(--root ${words[place + 1]})
            found=(${(f)"$(utunctl $root completions --words $1 2>/dev/null)"})
            compadd "${@[2,-1]}" -a found
        }

        _utunctl() {
            local curcontext=$curcontext state line ret=1
            local -a verbs=(
        \(verbs.map { "        \("\($0.name):\($0.summary)".quotedForShell)" }.joined(separator: "\n"))
            )
            _arguments -C \\
        \(Option.global.flatMap(specifications).map { "        \($0) \\" }.joined(separator: "\n"))
                '1: :->verb' '*:: :->rest' && ret=0
            case $state in
            verb) _describe verb verbs && ret=0 ;;
            rest)
                case $line[1] in
        \(verbs.map(verbCase).joined(separator: "\n"))
                esac ;;
            esac
            return ret
        }

        if [[ $funcstack[1] == _utunctl ]]; then _utunctl "$@"; else compdef _utunctl utunctl; fi

        """
    }

    private func verbCase(_ verb: VerbSyntax) -> String {
        var arguments = (verb.options.filter { !$0.isHidden } + Option.global)
            .flatMap(specifications)
        let actions = CompletionWords.actions(of: verb)
        if actions.isEmpty {
            let operands = CompletionWords.operands(of: verb, verbs: verbs.map(\.name))
            if let offer = offer(operands) {
                let message = verb.operands.placeholder.isEmpty ? "" : "operand"
                let place = CompletionWords.areAlike(verb.operands) ? "*" : "1"
                arguments.append("\(place):\(message):\(offer)".quotedForShell)
            }
            if CompletionWords.rest(of: verb) == .command {
                arguments.append("'*:: : _normal'")
            }
        } else {
            let words = actions.map(\.action).joined(separator: " ")
            arguments.append("'1:action:(\(words))'")
            for action in actions {
                guard let offer = offer(action.operands) else { continue }
                let place = action.areAlike ? "*" : "2"
                arguments.append(
                    "${${(M)words:#\(action.action)}:+\("\(place):operand:\(offer)".quotedForShell)}"
                )
            }
        }
        let lines = arguments.map { "                \($0)" }.joined(separator: " \\\n")
        return "        \(verb.name)) _arguments -s \\\n\(lines) && ret=0 ;;"
    }

    private func specifications(_ option: Option) -> [String] {
        let summary = Self.escaped(option.summary)
        let repeats = option.repeats ? "*" : ""
        return option.spellings.map { spelling in
            guard let values = CompletionWords.values(of: option) else {
                return "\(repeats)\(spelling)[\(summary)]".quotedForShell
            }
            let sign = spelling.hasPrefix("--") ? "=" : "+"
            let message = Self.escaped(option.value ?? "")
            return "\(repeats)\(spelling)\(sign)[\(summary)]:\(message):\(offer(values) ?? " ")"
                .quotedForShell
        }
    }

    private func offer(_ words: CompletionWords) -> String? {
        switch words {
        case .files: "_files"
        case .directories: "_files -/"
        case .command: "_normal"
        case .words(let words): "(\(words.joined(separator: " ")))"
        case .keys: "{_utunctl_ask keys -S \"\"}"
        case .configurations, .providers, .profiles, .credentials:
            "{_utunctl_ask \(words.question ?? "")}"
        case .nothing: nil
        }
    }

    private static func escaped(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            if ":[]\\".unicodeScalars.contains(scalar) { result += "\\" }
            result.unicodeScalars.append(scalar)
        }
        return result
    }
}
