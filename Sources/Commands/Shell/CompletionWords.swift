/// What a shell may offer in one place of a command line.
enum CompletionWords: Equatable {
    /// Names of configurations.
    case configurations
    case providers
    /// Paths of keys, as `--set` takes them.
    case keys
    case profiles
    case credentials
    case files
    case directories
    /// What follows is a command of its own.
    case command
    case words([String])
    case nothing

    /// The word by which a script asks the program for those that only it knows.
    var question: String? {
        switch self {
        case .configurations: "configurations"
        case .providers: "providers"
        case .keys: "keys"
        case .profiles: "profiles"
        case .credentials: "credentials"
        case .files, .directories, .command, .words, .nothing: nil
        }
    }

    /// All that can be asked for.
    static let questions: [CompletionWords] = [
        .configurations, .providers, .keys, .profiles, .credentials,
    ]

    /// What the operands of a verb are.
    static func operands(of verb: VerbSyntax, verbs: [String]) -> CompletionWords {
        switch verb.name {
        case "help": .words(verbs + HelpTopic.allCases.map(\.rawValue))
        case "completions": .words(Shell.allCases.map(\.rawValue))
        case "enroll", "bundle": .files
        case "genkey": .nothing
        default: verb.operands.placeholder.contains("NAME") ? .configurations : .nothing
        }
    }

    /// The actions of verbs that have some, and what each is for.
    static func actions(of verb: VerbSyntax) -> [(action: String, operands: CompletionWords)] {
        switch verb.name {
        case "profiles":
            [("list", .nothing), ("show", .profiles), ("remove", .profiles)]
        case "credential":
            [("set", .credentials), ("list", .nothing), ("remove", .credentials)]
        case "doctor": [("leaks", .configurations)]
        default: []
        }
    }

    /// What follows `--` of a verb.
    static func rest(of verb: VerbSyntax) -> CompletionWords {
        verb.operands.placeholder.contains("-- COMMAND") ? .command : .nothing
    }

    /// What the value of an option is; `nil` of an option without one.
    static func values(of option: Option) -> CompletionWords? {
        switch (option.name, option.value) {
        case (_, nil): nil
        case ("provider", _): .providers
        case ("set", _), ("unset", _): .keys
        case ("origin", _): .words(StopOrigin.allCases.map(\.rawValue))
        case ("format", _): .words(["wg-quick"])
        case (_, "FILE"), (_, "PATH"): .files
        case (_, "DIR"): .directories
        // A choice is written out.
        case (_, let value?) where value.utf8.contains(UInt8(ascii: "|")):
            .words(value.split(separator: "|").map { String($0) })
        default: .nothing
        }
    }
}

/// A shell for which there is a script.
enum Shell: String, CaseIterable {
    case bash, zsh, fish

    /// The script, from the table of verbs.
    func script(_ verbs: [VerbSyntax]) -> String {
        switch self {
        case .bash: BashCompletion(verbs).script
        case .zsh: ZshCompletion(verbs).script
        case .fish: FishCompletion(verbs).script
        }
    }
}

extension Option {
    /// The ways in which it may be written.
    var spellings: [String] { ["--\(name)"] + (short.map { ["-\($0)"] } ?? []) }
}

extension String {
    /// The text as one word of a shell, whatever is in it.
    var quotedForShell: String {
        var quoted = "'"
        for character in unicodeScalars {
            if character == "'" {
                quoted += "'\\''"
            } else {
                quoted.unicodeScalars.append(character)
            }
        }
        return quoted + "'"
    }
}
