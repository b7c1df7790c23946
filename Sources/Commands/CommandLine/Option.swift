/// An option of the command line as it is declared: `--name`, perhaps with a short form or a value.
package struct Option: Equatable, Sendable {
    /// The long name without dashes.
    package let name: String
    /// The letter of the short form.
    package let short: Character?
    /// What stands for the value in help texts, such as `SECONDS`; nil makes the option a flag.
    package let value: String?
    /// The words that the value may be, where these are few; there may be others beside them.
    package let choices: [String]
    /// Whether an option with a value may be given more than once.
    package let repeats: Bool
    /// The line of the help text.
    package let summary: String
    /// Whether help texts and suggestions leave the option out.
    package let isHidden: Bool

    /// Declares an option; without `value` it is a flag.
    package init(
        _ name: String,
        short: Character? = nil,
        value: String? = nil,
        choices: [String] = [],
        repeats: Bool = false,
        isHidden: Bool = false,
        summary: String
    ) {
        self.name = name
        self.short = short
        self.value = value
        self.choices = choices
        self.repeats = repeats
        self.summary = summary
        self.isHidden = isHidden
    }

    /// The options every verb understands, valid before the verb as well as after it.
    package static let global: [Option] = [
        Option("root", value: "DIR", summary: "use the files below DIR instead of the system's"),
        Option("json", short: "j", summary: "print the answer as JSON"),
        Option("quiet", short: "q", summary: "print no notes"),
        Option("help", short: "h", summary: "print help and end"),
        Option("version", summary: "print the version and end"),
    ]

    /// The long form with the placeholder of its value, such as `--timeout SECONDS`.
    var usage: String {
        guard let value else { return "--\(name)" }
        return "--\(name) \(value)"
    }
}
