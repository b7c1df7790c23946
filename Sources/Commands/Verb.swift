/// One verb of the program: how it is called, and what it does.
package struct Verb: Sendable {
    package let syntax: VerbSyntax
    package let run: @Sendable (Context) throws(Failure) -> ExitStatus

    /// Whether it changes nothing, so that members of the group utunctl may do it.
    func onlyLooks(_ operands: [String]) -> Bool {
        if syntax.name == "profiles" { return operands.first != "remove" }
        return ["load", "status", "providers", "doctor", "help"].contains(syntax.name)
    }

    /// All verbs, in the order in which help lists them.
    package static let all: [Verb] = [
        .enroll, .save, .load, .remove, .start, .stop, .restart, .plan, .status, .pause, .unblock,
        .genkey,
        .credential, .profiles, .providers, .repair, .exec, .doctor, .lockdown, .help,
    ]
}
