import Commands
import Testing

@Suite struct CommandLineHelpTests {
    @Test func theProgram() {
        let text = helpText(
            summary: "Controls VPN tunnels, and asks the kernel and the living processes instead "
                + "of remembering what they were.",
            verbs: CommandLineFixture.verbs,
            manPages: ["utunctl(8)", "utunctl-provider(7)"]
        )
        #expect(
            text == """
                Usage: utunctl [OPTION…] VERB [OPERAND…]

                Controls VPN tunnels, and asks the kernel and the living processes instead of
                remembering what they were.

                Verbs:
                  start  start tunnels that are configured
                  list   list the configurations
                  copy   copy a configuration

                Options of every verb:
                      --root DIR  use the files below DIR instead of the system's
                  -j, --json      print the answer as JSON
                  -q, --quiet     print no notes
                  -h, --help      print help and end
                      --version   print the version and end

                `utunctl help VERB` explains one verb.
                Manual pages: utunctl(8), utunctl-provider(7)

                """
        )
    }

    @Test func aVerbWithEverything() {
        #expect(
            helpText(for: CommandLineFixture.start) == """
                Usage: utunctl start [OPTION…] NAME…

                start tunnels that are configured

                What is started is the configuration as it was saved. The answer says whether
                the start was accepted, which does not mean connected.

                A tunnel that runs already is left alone.

                Options:
                  -w, --wait               wait until the tunnel is connected
                      --no-resolve         use server addresses only where they are numbers
                  -t, --timeout SECONDS    give up waiting after SECONDS; the default is the
                                           startTimeout of the configuration and 5 seconds more
                      --generation NUMBER  refuse any other generation
                      --option KEY=VALUE   hand KEY to the provider (may be repeated)

                Options of every verb: --root DIR, --json, --quiet, --help, --version.

                Examples:
                  utunctl start --wait office
                      start office and wait until it is connected
                  utunctl start --wait --timeout 10 office home
                      start two tunnels, and give up waiting when ten seconds went by without
                      both of them being connected

                """
        )
    }

    @Test func aVerbWithNothing() {
        #expect(
            helpText(for: CommandLineFixture.list) == """
                Usage: utunctl list [OPTION…]

                list the configurations

                Options of every verb: --root DIR, --json, --quiet, --help, --version.

                """
        )
    }

    @Test func aWideOptionStandsOnItsOwnLine() {
        let verb = VerbSyntax(
            "list",
            summary: "list",
            options: [
                Option("all", short: "a", summary: "list everything"),
                Option("a-very-long-option-name", value: "VALUE", summary: "say less"),
            ]
        )
        #expect(
            helpText(for: verb).contains(
                """
                Options:
                  -a, --all  list everything
                      --a-very-long-option-name VALUE
                             say less
                """
            )
        )
    }

    @Test func noLineIsWiderThanEightyColumns() {
        var texts = CommandLineFixture.verbs.map { helpText(for: $0) }
        texts.append(
            helpText(
                summary: String(repeating: "word ", count: 99), verbs: CommandLineFixture.verbs))
        for line in texts.flatMap({ $0.split(separator: "\n") }) {
            #expect(line.count <= 80, "\(line)")
            #expect(line.last != " ", "\(line)")
        }
    }

    @Test func hiddenOptionsAreLeftOut() {
        #expect(!helpText(for: CommandLineFixture.start).contains("foreground"))
    }
}
