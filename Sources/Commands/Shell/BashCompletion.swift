/// The completion of bash(1), without its package of helpers.
struct BashCompletion {
    private let verbs: [VerbSyntax]

    init(_ verbs: [VerbSyntax]) {
        self.verbs = verbs
    }

    /// The script.
    var script: String {
        let names = verbs.map(\.name)
        let valued = Option.valuedSpellings(verbs)
        return """
            # Completion of utunctl for bash, as `utunctl completions bash` prints it.

            # Offers what it reads, a word a line, as it stands: no part of it is ever expanded.
            _utunctl_offer() {
                local word
                while IFS= read -r word; do
                    [[ $word == "$current"* ]] && COMPREPLY+=("$word")
                done
            }

            _utunctl_ask() {
                _utunctl_offer < <(utunctl "${root[@]}" completions --words "$1" 2>/dev/null)
            }

            # Names of files are completed as bash has them, "~" and all.
            _utunctl_files() {
                local word
                compopt -o filenames 2>/dev/null
                while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen "$1" -- "$current")
            }

            _utunctl() {
                local current=${COMP_WORDS[COMP_CWORD]} option= verb= action= rest= word i
                local -a root=() operands=()
                COMPREPLY=()
                # Bash takes "--option=value" for three words.
                [[ $current == = ]] && current=
                for ((i = 1; i < COMP_CWORD; i++)); do
                    word=${COMP_WORDS[i]}
                    if [[ $rest ]]; then continue; fi
                    case $word in
                    =) ;;
                    --) [[ $verb ]] && rest=yes ;;
                    \(valued.joined(separator: "|")))
                        [[ ${COMP_WORDS[i + 1]} == = ]] && ((i++))
                        if ((i + 1 >= COMP_CWORD)); then
                            option=$word
                        else
                            ((i++))
                            [[ $word == --root ]] && root=(--root "${COMP_WORDS[i]}")
                        fi ;;
                    -*) ;;
                    *) if [[ $verb ]]; then operands+=("$word"); else verb=$word; fi ;;
                    esac
                done
                action=${operands[0]}
                if [[ $rest ]]; then
                    case $verb in
            \(restCases)
                    esac
                    return
                fi
                if [[ $option ]]; then
                    case $verb$option in
            \(valueCases)
                    esac
                    return
                fi
                case $verb in
                '') COMPREPLY=($(compgen -W '\((names + Option.global.flatMap(\.spellings)).joined(separator: " "))' -- "$current")) ;;
            \(verbs.map { verbCase($0, names) }.joined(separator: "\n"))
                esac
            }

            complete -F _utunctl utunctl

            """
    }

    private var restCases: String {
        verbs.filter { CompletionWords.rest(of: $0) == .command }
            .map { "        \($0.name)) COMPREPLY=($(compgen -c -- \"$current\")) ;;" }
            .joined(separator: "\n")
    }

    private var valueCases: String {
        var cases: [String] = []
        for option in Option.global {
            guard let values = CompletionWords.values(of: option) else { continue }
            let patterns = option.spellings.map { "*\($0)" }.joined(separator: "|")
            cases.append("        \(patterns)) \(offer(values)) ;;")
        }
        for verb in verbs {
            for option in verb.options where !option.isHidden {
                guard let values = CompletionWords.values(of: option), values != .nothing else {
                    continue
                }
                let patterns = option.spellings.map { verb.name + $0 }.joined(separator: "|")
                cases.append("        \(patterns)) \(offer(values)) ;;")
            }
        }
        return cases.joined(separator: "\n")
    }

    private func verbCase(_ verb: VerbSyntax, _ names: [String]) -> String {
        let options = (verb.options.filter { !$0.isHidden } + Option.global).flatMap(\.spellings)
        let actions = CompletionWords.actions(of: verb)
        var lines = ["    \(verb.name))"]
        lines.append("        if [[ $current == -* ]]; then")
        lines.append("            \(offer(.words(options)))")
        if actions.isEmpty {
            let alone = CompletionWords.areAlike(verb.operands) ? nil : 0
            lines.append("        else")
            lines.append(
                "            \(offer(CompletionWords.operands(of: verb, verbs: names), behind: alone))"
            )
        } else {
            lines.append("        else case $action in")
            lines.append("            '') \(offer(.words(actions.map(\.action)))) ;;")
            for action in actions {
                let offered = offer(action.operands, behind: action.areAlike ? nil : 1)
                lines.append("            \(action.action)) \(offered) ;;")
            }
            lines.append("            esac")
        }
        lines.append("        fi ;;")
        return lines.joined(separator: "\n")
    }

    /// The offer of words, behind that many operands alone, or behind any number of them.
    private func offer(_ words: CompletionWords, behind count: Int?) -> String {
        guard let count, words != .nothing else { return offer(words) }
        return "if ((${#operands[@]} == \(count))); then \(offer(words)); fi"
    }

    private func offer(_ words: CompletionWords) -> String {
        switch words {
        case .files: "_utunctl_files -f"
        case .directories: "_utunctl_files -d"
        case .command: "COMPREPLY=($(compgen -c -- \"$current\"))"
        case .words(let words):
            "COMPREPLY=($(compgen -W '\(words.joined(separator: " "))' -- \"$current\"))"
        case .nothing: ":"
        case .keys: "compopt -o nospace 2>/dev/null; _utunctl_ask keys"
        case .configurations, .providers, .profiles, .credentials:
            "_utunctl_ask \(words.question ?? "")"
        }
    }
}
