import Commands
import Testing

/// What a command line should be read as.
private struct Reading: Equatable, CustomTestStringConvertible {
    var line: [String]
    var verb: String?
    var operands: [String] = []
    var flags: [String] = []
    var values: [String: [String]] = [:]

    init(
        _ line: [String],
        _ verb: String?,
        _ operands: [String] = [],
        flags: [String] = [],
        values: [String: [String]] = [:]
    ) {
        self.line = line
        self.verb = verb
        self.operands = operands
        self.flags = flags
        self.values = values
    }

    var testDescription: String { "\(line)" }
}

/// A command line that is refused.
private struct Refusal: CustomTestStringConvertible {
    var line: [String]
    var error: UsageError

    init(_ line: [String], _ message: String, _ hint: String?) {
        self.line = line
        error = UsageError(message, hint: hint)
    }

    var testDescription: String { "\(line)" }
}

@Suite struct CommandLineParsingTests {
    @Test(arguments: [
        Reading([], nil),
        Reading(["list"], "list"),
        Reading(["--version"], nil, flags: ["version"]),
        Reading(["-h"], nil, flags: ["help"]),
        Reading(["start", "office"], "start", ["office"]),
        Reading(["start", "a", "b", "a"], "start", ["a", "b", "a"]),
        // Options and operands mixed; global options on both sides of the verb.
        Reading(
            ["--json", "start", "-q", "a", "--wait", "b"], "start", ["a", "b"],
            flags: ["json", "quiet", "wait"]),
        Reading(["-j", "-q", "list"], "list", flags: ["json", "quiet"]),
        Reading(["-jq", "list"], "list", flags: ["json", "quiet"]),
        Reading(["--root", "/r", "list"], "list", values: ["root": ["/r"]]),
        Reading(["list", "--root=/r"], "list", values: ["root": ["/r"]]),
        Reading(["start", "a", "--no-resolve"], "start", ["a"], flags: ["no-resolve"]),
        Reading(["start", "a", "--foreground"], "start", ["a"], flags: ["foreground"]),
        // A flag twice says no more than once.
        Reading(["start", "a", "--wait", "-w", "--wait"], "start", ["a"], flags: ["wait"]),
        // Values in their forms.
        Reading(["start", "a", "--timeout", "3"], "start", ["a"], values: ["timeout": ["3"]]),
        Reading(["start", "a", "--timeout=3"], "start", ["a"], values: ["timeout": ["3"]]),
        Reading(["start", "a", "-t", "3"], "start", ["a"], values: ["timeout": ["3"]]),
        Reading(["start", "a", "-t=3"], "start", ["a"], values: ["timeout": ["3"]]),
        Reading(
            ["start", "a", "-wt", "3"], "start", ["a"], flags: ["wait"],
            values: ["timeout": ["3"]]),
        Reading(["start", "a", "--timeout="], "start", ["a"], values: ["timeout": [""]]),
        Reading(["start", "a", "--timeout", ""], "start", ["a"], values: ["timeout": [""]]),
        Reading(["start", "a", "--timeout=-1"], "start", ["a"], values: ["timeout": ["-1"]]),
        Reading(["start", "a", "--timeout", "-"], "start", ["a"], values: ["timeout": ["-"]]),
        Reading(
            ["start", "a", "--option=k=v=w", "--option", "x"], "start", ["a"],
            values: ["option": ["k=v=w", "x"]]),
        Reading(
            ["start", "a", "--option=--wait"], "start", ["a"],
            values: ["option": ["--wait"]]),
        Reading(
            ["start", "a", "--option=\u{301}"], "start", ["a"],
            values: ["option": ["\u{301}"]]),
        // What is an operand.
        Reading(["start", "-"], "start", ["-"]),
        Reading(["start", ""], "start", [""]),
        Reading(["start", "="], "start", ["="]),
        Reading(["start", "a=b"], "start", ["a=b"]),
        Reading(["start", "--", "--wait", "--"], "start", ["--wait", "--"]),
        Reading(["--", "start", "-x"], "start", ["-x"]),
        Reading(["start", "a", "--"], "start", ["a"]),
        Reading(["start", "\u{FFFD}\u{FFFD}"], "start", ["\u{FFFD}\u{FFFD}"]),
        // Nobody who asks for help is told that operands are missing.
        Reading(["start", "--help"], "start", flags: ["help"]),
        Reading(["--help", "list", "x"], "list", ["x"], flags: ["help"]),
        Reading(["copy", "--version"], "copy", flags: ["version"]),
    ])
    fileprivate func reads(_ expected: Reading) throws {
        let invocation = try Invocation(parsing: expected.line, verbs: CommandLineFixture.verbs)
        #expect(invocation.verb == expected.verb)
        #expect(invocation.operands == expected.operands)

        let own = CommandLineFixture.verbs.first { $0.name == expected.verb }?.options ?? []
        for option in own + Option.global {
            let values = expected.values[option.name] ?? []
            #expect(invocation.values(option.name) == values)
            #expect(invocation.value(option.name) == values.last)
            let isGiven = !values.isEmpty || expected.flags.contains(option.name)
            #expect(invocation.has(option.name) == isGiven, "\(option.name)")
        }
    }

    @Test(arguments: [
        // Verbs.
        Refusal(["strat"], "unknown verb strat", "did you mean start? see `utunctl help`"),
        Refusal(["frobnicate"], "unknown verb frobnicate", "see `utunctl help`"),
        Refusal([""], "unknown verb \"\"", "see `utunctl help`"),
        Refusal(["-"], "unknown verb -", "see `utunctl help`"),
        Refusal(["="], "unknown verb =", "see `utunctl help`"),
        Refusal(["--", "--help"], "unknown verb --help", "see `utunctl help`"),
        Refusal(["a b\u{1B}[31m\"\n"], #"unknown verb "a b\u{1B}[31m\"\n""#, "see `utunctl help`"),
        Refusal(["\u{202E}x"], #"unknown verb "\u{202E}x""#, "see `utunctl help`"),
        // Options.
        Refusal(
            ["start", "a", "--waitt"], "unknown option --waitt",
            "did you mean --wait? see `utunctl help start`"),
        Refusal(
            ["start", "a", "--tiemout=3"], "unknown option --tiemout",
            "did you mean --timeout? see `utunctl help start`"),
        Refusal(
            ["list", "--jsn"], "unknown option --jsn",
            "did you mean --json? see `utunctl help list`"),
        Refusal(["--jsno"], "unknown option --jsno", "did you mean --json? see `utunctl help`"),
        Refusal(["start", "--resolve"], "unknown option --resolve", "see `utunctl help start`"),
        Refusal(["start", "--no-wait"], "unknown option --no-wait", "see `utunctl help start`"),
        Refusal(
            ["start", "--foregrund"], "unknown option --foregrund",
            "see `utunctl help start`"),
        Refusal(["list", "--wait"], "unknown option --wait", "see `utunctl help list`"),
        Refusal(["start", "-x"], "unknown option -x", "see `utunctl help start`"),
        Refusal(["start", "-5"], "unknown option -5", "see `utunctl help start`"),
        Refusal(
            ["start", "-wait"], "unknown option -wait",
            "did you mean --wait? see `utunctl help start`"),
        Refusal(["start", "-wx"], "unknown option -wx", "see `utunctl help start`"),
        Refusal(["start", "-=x"], "unknown option -=x", "see `utunctl help start`"),
        Refusal(["start", "--=x"], "unknown option --", "see `utunctl help start`"),
        Refusal(["start", "--="], "unknown option --", "see `utunctl help start`"),
        Refusal(["start", "---x"], "unknown option ---x", "see `utunctl help start`"),
        Refusal(
            ["start", "---wait"], "unknown option ---wait",
            "did you mean --wait? see `utunctl help start`"),
        Refusal(
            ["start", "--wait\u{301}"], "unknown option --wait\u{301}",
            "did you mean --wait? see `utunctl help start`"),
        Refusal(["start", "-\u{301}"], "unknown option -\u{301}", "see `utunctl help start`"),
        Refusal(["start", "--\u{0}"], #"unknown option "--\0""#, "see `utunctl help start`"),
        Refusal(
            ["--wait", "start", "a"], "option --wait before the verb",
            "write it after the verb: utunctl VERB --wait"),
        Refusal(
            ["-w", "start", "a"], "option -w before the verb",
            "write it after the verb: utunctl VERB --wait"),
        // Values.
        Refusal(
            ["start", "a", "--wait=3"], "option --wait takes no value",
            "see `utunctl help start`"),
        Refusal(["start", "a", "-w="], "option -w takes no value", "see `utunctl help start`"),
        Refusal(["--json=", "list"], "option --json takes no value", "see `utunctl help`"),
        Refusal(
            ["start", "a", "--timeout"], "option --timeout needs a value",
            "write --timeout SECONDS; see `utunctl help start`"),
        Refusal(
            ["start", "--timeout", "--wait", "a"], "option --timeout needs a value",
            "write --timeout SECONDS; see `utunctl help start`"),
        Refusal(
            ["start", "--timeout", "--", "a"], "option --timeout needs a value",
            "write --timeout SECONDS; see `utunctl help start`"),
        Refusal(
            ["start", "--option", "-x=1", "a"], "option --option needs a value",
            "a value that starts with - is written --option=-x=1"),
        Refusal(
            ["start", "a", "-t", "-3"], "option -t needs a value",
            "a value that starts with - is written --timeout=-3"),
        Refusal(
            ["start", "a", "-t3"], "option -t needs a value",
            "write --timeout SECONDS; see `utunctl help start`"),
        Refusal(
            ["--root"], "option --root needs a value",
            "write --root DIR; see `utunctl help`"),
        Refusal(
            ["start", "a", "-t", "1", "--timeout=1"], "option --timeout given twice",
            "see `utunctl help start`"),
        Refusal(
            ["--root=a", "list", "--root=b"], "option --root given twice",
            "see `utunctl help list`"),
        // Operands.
        Refusal(["start"], "operand missing: NAME…", "usage: utunctl start [OPTION…] NAME…"),
        Refusal(
            ["start", "--wait", "--"], "operand missing: NAME…",
            "usage: utunctl start [OPTION…] NAME…"),
        Refusal(
            ["copy", "a"], "operand missing: FROM TO",
            "usage: utunctl copy [OPTION…] FROM TO"),
        Refusal(
            ["copy", "a", "b", "c", "d"], "unexpected operand c",
            "usage: utunctl copy [OPTION…] FROM TO"),
        Refusal(["list", ""], "unexpected operand \"\"", "usage: utunctl list [OPTION…]"),
    ])
    fileprivate func refuses(_ expected: Refusal) {
        #expect(throws: expected.error) {
            try Invocation(parsing: expected.line, verbs: CommandLineFixture.verbs)
        }
    }

    @Test func veryLongWordsAreCutInMessages() {
        let long = String(repeating: "a", count: 1_000_000)
        let sixty = String(repeating: "a", count: 60)
        let lines = [
            ([long], "unknown verb \(sixty)…"),
            (["list", "--" + long], "unknown option --\(sixty.dropLast(2))…"),
            (["list", "-" + long], "unknown option -\(sixty.dropLast())…"),
            (["list", long], "unexpected operand \(sixty)…"),
        ]
        for (line, message) in lines {
            let error = #expect(throws: UsageError.self) {
                try Invocation(parsing: line, verbs: CommandLineFixture.verbs)
            }
            #expect(error?.message == message)
        }
    }

    /// Every short command line out of awkward words is read or refused, and never traps.
    @Test func awkwardWordsInAllCombinations() {
        let words = [
            "", "-", "--", "=", "--=", "--=x", "---", "-=", "start", "list", "--wait", "--wait=",
            "--timeout", "-t", "-wt", "-wt=", "--timeout=-", "\u{FFFD}", "\r\n", "-\u{200D}",
        ]
        var read = 0
        for first in words {
            for second in words {
                for third in words {
                    let line = [first, second, third]
                    if (try? Invocation(parsing: line, verbs: CommandLineFixture.verbs)) != nil {
                        read += 1
                    }
                }
            }
        }
        #expect(read > 0)
    }
}
