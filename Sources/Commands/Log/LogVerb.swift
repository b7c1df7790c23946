internal import LinuxSystem
internal import TunnelModel

extension Verb {
    static let log = Verb(
        syntax: VerbSyntax(
            "log",
            summary: "print what the session of a tunnel said",
            operands: Operands("NAME", minimum: 1, maximum: 1),
            options: [
                Option("follow", short: "f", summary: "go on, with the sessions to come as well"),
                Option(
                    "attempt", value: "last|all|ID", choices: ["last", "all"],
                    summary: "of which session; last is the default"),
                Option("lines", value: "N", summary: "no more than the last N lines"),
            ],
            description: [
                "A detached session host writes to a file in /run/utunctl, which is for root alone;"
                    + " one that systemd runs writes to the journal. Both are looked at, and what"
                    + " is found is in the order of time. The journal is for root and the group"
                    + " systemd-journal.",
                "With --json each line is an object, whose from says where it was found.",
            ],
            examples: [
                Example("utunctl log office", "print what the last session said"),
                Example("utunctl log -f --lines 20 office", "follow it"),
                Example("utunctl log --attempt all office", "print all that is left"),
            ]),
        run: { context throws(Failure) in
            let command = try LogCommand(context)
            guard context.invocation.has("follow") else { return try command.run() }
            return try LogFollow(command).run()
        })
}
