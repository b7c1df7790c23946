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
        default: verb.operands.names("NAME") ? .configurations : .nothing
        }
    }

    /// Whether each further operand is of the same kind as the first, or the first stands alone.
    static func areAlike(_ operands: Operands) -> Bool {
        operands.maximum == nil && !operands.names("COMMAND")
    }

    /// The actions of verbs that have some, and what each is for.
    static func actions(of verb: VerbSyntax) -> [CompletionAction] {
        switch verb.name {
        case "profiles":
            [
                CompletionAction("list", .nothing), CompletionAction("show", .profiles),
                CompletionAction("remove", .profiles, areAlike: true),
            ]
        case "credential":
            [
                CompletionAction("set", .credentials), CompletionAction("list", .nothing),
                CompletionAction("remove", .credentials, areAlike: true),
            ]
        case "doctor": [CompletionAction("leaks", .configurations)]
        case "ondemand":
            OnDemandAction.allCases.map { CompletionAction($0.rawValue, $0.operands) }
        default: []
        }
    }

    /// What follows `--` of a verb.
    static func rest(of verb: VerbSyntax) -> CompletionWords {
        verb.operands.names("COMMAND") ? .command : .nothing
    }

    /// What the value of an option is; `nil` of an option without one.
    static func values(of option: Option) -> CompletionWords? {
        switch (option.name, option.value) {
        case (_, nil): nil
        case _ where !option.choices.isEmpty: .words(option.choices)
        case ("provider", _): .providers
        case ("set", _), ("unset", _): .keys
        case (_, "FILE"), (_, "PATH"): .files
        case (_, "DIR"): .directories
        default: .nothing
        }
    }
}

/// An action of a verb that has several.
struct CompletionAction {
    let action: String
    /// What its operands are.
    let operands: CompletionWords
    /// Whether it takes any number of them, or one.
    let areAlike: Bool

    init(_ action: String, _ operands: CompletionWords, areAlike: Bool = false) {
        self.action = action
        self.operands = operands
        self.areAlike = areAlike
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

    /// Those of all options behind which a value stands.
    static func valuedSpellings(_ verbs: [VerbSyntax]) -> [String] {
        let valued = (global + verbs.flatMap(\.options)).filter { $0.value != nil }
        return Set(valued.flatMap(\.spellings)).sorted()
    }
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
