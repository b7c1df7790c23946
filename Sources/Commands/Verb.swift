/// One verb of the program: how it is called, and what it does.
package struct Verb: Sendable {
    package let syntax: VerbSyntax
    package let run: @Sendable (Context) throws(Failure) -> ExitStatus

    /// Whether it changes nothing, so that members of the group utunctl may do it.
    func onlyLooks(_ operands: [String]) -> Bool {
        if syntax.name == "profiles" { return operands.first != "remove" }
        if syntax.name == "ondemand" {
            return operands.first.flatMap { OnDemandAction(rawValue: $0) }?.onlyLooks ?? false
        }
        return Self.looking.contains(syntax.name)
    }

    private static let looking: Set = [
        "load", "status", "wait", "log", "metrics", "providers", "doctor", "bundle",
        "completions", "help",
    ]

    /// What a failure is about: the verb, with its action where it has any, and the one thing that
    /// is named, where it is one alone.
    func place(of operands: [String]) -> (verb: String, subject: String?) {
        let name = syntax.name
        switch name {
        // The others belong to the command, or are addresses.
        case "exec", "run", "rename": return (name, operands.first)
        case "doctor", "credential", "profiles", "ondemand":
            guard let action = operands.first else { return (name, nil) }
            let isOne = operands.count == 2 || name == "doctor"
            return ("\(name) \(action)", isOne ? operands.dropFirst().first : nil)
        // Of several operands the text itself says which one it is about.
        default: return (name, operands.count == 1 ? operands.first : nil)
        }
    }

    /// All verbs, in the order in which help lists them.
    package static let all: [Verb] = [
        .enroll, .save, .load, .rename, .remove, .start, .stop, .restart, .reload, .run, .wait,
        .plan, .onDemand, .status, .log, .metrics, .pause, .unblock, .genkey, .credential, .export,
        .profiles,
        .providers, .enable, .disable, .sleep, .wake, .repair, .exec, .doctor, .bundle,
        .lockdown, .completions, .help,
    ]
}
