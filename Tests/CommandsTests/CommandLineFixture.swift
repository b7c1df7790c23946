import Commands

/// The table of verbs that the tests of the command line share.
enum CommandLineFixture {
    static let start = VerbSyntax(
        "start",
        summary: "start tunnels that are configured",
        operands: Operands("NAME…", minimum: 1, maximum: nil),
        options: [
            Option("wait", short: "w", summary: "wait until the tunnel is connected"),
            Option("no-resolve", summary: "use server addresses only where they are numbers"),
            Option(
                "timeout",
                short: "t",
                value: "SECONDS",
                summary: "give up waiting after SECONDS; the default is the startTimeout of the "
                    + "configuration and 5 seconds more"
            ),
            Option("generation", value: "NUMBER", summary: "refuse any other generation"),
            Option(
                "option",
                value: "KEY=VALUE",
                repeats: true,
                summary: "hand KEY to the provider"
            ),
            Option("foreground", isHidden: true, summary: "be the session host"),
        ],
        description: [
            "What is started is the configuration as it was saved. The answer says whether the "
                + "start was accepted, which does not mean connected.",
            "A tunnel that runs already is left alone.",
        ],
        examples: [
            Example("utunctl start --wait office", "start office and wait until it is connected"),
            Example(
                "utunctl start --wait --timeout 10 office home",
                "start two tunnels, and give up waiting when ten seconds went by without both "
                    + "of them being connected"
            ),
        ]
    )

    static let list = VerbSyntax("list", summary: "list the configurations")

    static let copy = VerbSyntax(
        "copy",
        summary: "copy a configuration",
        operands: Operands("FROM TO", minimum: 2, maximum: 2)
    )

    static let verbs = [start, list, copy]
}
