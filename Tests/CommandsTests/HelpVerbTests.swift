import Glibc
import JSON
import LinuxSystem
import Preferences
import TestSupport
import Testing
import TunnelModel

@testable import Commands

@Suite struct HelpVerbTests {
    private let root: TemporaryRoot
    private let program = Installation.built("utunctl")

    init() throws {
        root = try TemporaryRoot()
    }

    private func run(_ arguments: String...) throws -> Command.Result {
        try root.run(arguments)
    }

    @Test func helpOfTheProgram() throws {
        let help = try run("help")
        #expect(help.status == 0)
        #expect(help.output == Program.helpText)
        #expect(help.output == (try run("--help").output))
        for verb in Verb.all { #expect(help.output.contains("\n  \(verb.syntax.name) ")) }
        #expect(help.output.contains("Topics of help: exit-status, disconnect-codes"))
    }

    @Test(arguments: Verb.all.map(\.syntax.name)) func helpOfEachVerb(verb: String) throws {
        let help = try run("help", verb)
        #expect(help.status == 0)
        #expect(help.output == (try run(verb, "--help").output))
        #expect(help.output.hasPrefix("Usage: utunctl \(verb)"))
    }

    @Test(arguments: [
        ("status", "[NAME…]"), ("load", "[NAME…]"), ("repair", "[NAME | --all]"),
        ("stop", "NAME… | --all"), ("remove", "NAME…"), ("start", "NAME"),
    ])
    func operandsThatMayBeLeftOutStandInBrackets(verb: String, operands: String) throws {
        let help = try run("help", verb).output
        #expect(help.hasPrefix("Usage: utunctl \(verb) [OPTION…] \(operands)\n"))
    }

    @Test func membersOfTheGroupMayOnlyLook() {
        let failure = Failure(
            PreferencesError.unreadable(.system(SystemError("open", "x", errno: EACCES))))
        #expect(failure.hint == "run as root, or as a member of the group utunctl")
        #expect(failure.ofChange.hint == "run as root")
    }

    @Test func everyExampleIsUnderstood() throws {
        for verb in Verb.all {
            for example in verb.syntax.examples {
                let commands = example.command.split(separator: "|")
                    .map { $0.split(separator: " ").map(String.init) }
                    .filter { $0.first == "utunctl" }
                #expect(!commands.isEmpty, "\(example.command)")
                for words in commands.map({ $0.filter { !$0.hasPrefix(">") } }) {
                    #expect(throws: Never.self, "\(example.command)") {
                        try Invocation(
                            parsing: Array(words.dropFirst()), verbs: Verb.all.map(\.syntax))
                    }
                }
            }
        }
    }

    @Test func noLineIsWiderThanEightyColumns() {
        let texts =
            Verb.all.map { helpText(for: $0.syntax) } + HelpTopic.allCases.map(\.text)
            + [Program.helpText]
        for line in texts.flatMap({ $0.split(separator: "\n") }) {
            #expect(line.count <= 80 || line.hasPrefix("  utunctl"), "\(line)")
        }
    }

    @Test func topics() throws {
        let statuses = try run("help", "exit-status").output
        for status in ExitStatus.allCases {
            #expect(statuses.contains("\n  \(status.rawValue) "))
        }
        #expect(statuses.contains("\n  11   the preferences are corrupt, or of a newer utunctl\n"))
        let codes = try run("help", "disconnect-codes").output
        for code in DisconnectCode.allCases { #expect(codes.contains("\n  \(code.rawValue) ")) }
        let json = try run("help", "exit-status", "--json").json
        #expect(json?["topic"]?.string == "exit-status")
        #expect(json?["text"]?.string == statuses)
        let unknown = try run("help", "exit-stauts")
        #expect(unknown.status == 2)
        #expect(unknown.errors.contains("did you mean exit-status?"))
    }

    @Test func aStatusAndEachCodeAreExplained() throws {
        let status = try run("help", "6")
        #expect(status.output.contains("\n  6  the tunnel failed while it was waited for\n"))
        #expect(try run("help", "10").output.contains("serviceManagerMissing"))
        let end = try run("help", "providerCrashed").output
        #expect(end.contains(DisconnectCode.providerCrashed.meaning), "\(end)")
        #expect(end.contains("What there is to do:"), "\(end)")
        let warning = try run("help", "hostBlocked").output
        #expect(warning.contains("unblock lifts that"), "\(warning)")
        // An error's, a warning's and an end's at once.
        #expect(try run("help", "providerNotInstalled").output.contains("\n  7  refused: "))
        #expect(try run("help", "providerNotInstalled").output.contains("Why a tunnel ended:"))
        #expect(try run("help", "99").status == 2)
        let near = try run("help", "providerCrahsed")
        #expect(near.status == 2 && near.errors.contains("did you mean providerCrashed?"))
        for status in ExitStatus.allCases {
            #expect(CodeMeaning.text(of: "\(status.rawValue)") != nil)
        }
        for code in CodeMeaning.codes {
            let text = try #require(CodeMeaning.text(of: code), "\(code)")
            #expect(text.split(separator: "\n").allSatisfy { $0.count <= 80 }, "\(text)")
        }
    }

    @Test(arguments: [
        ["help"], ["help", "save"], ["status", "--nonsense"], ["save", "office", "--dry-run"],
        ["start", String(repeating: "x", count: 99)],
    ])
    func inALocaleOfASCIITheProgramsOwnSignsAreASCII(arguments: [String]) throws {
        _ = try run("save", "office", "--title", "before")
        let edit = arguments.contains("--dry-run") ? ["--title", "after"] : []
        func text(_ locale: String) throws -> String {
            let run = try Command.run(
                [program, "--root", root.path] + arguments + edit,
                environment: ["LC_ALL": locale])
            return run.output + run.errors
        }
        let plain = try text("C")
        #expect(plain.utf8.allSatisfy { $0 < 0x80 }, "\(plain)")
        let usual = try text("C.UTF-8")
        #expect(usual.inPlainSigns == plain)
        // The probe must not be blind.
        #expect(arguments == ["status", "--nonsense"] || usual != plain, "\(usual)")
    }

    @Test func inATerminalProseIsAsWideAsIt() throws {
        for arguments in [["help"], ["help", "save"], ["help", "exit-status"]] {
            let terminal = try PseudoTerminal(
                [program, "--root", root.path] + arguments, columns: 50)
            let output = try terminal.finish().output
            for line in output.split(whereSeparator: \.isNewline) {
                #expect(line.count <= 50 || line.hasPrefix("  utunctl"), "\(line)")
            }
            #expect(output.contains("\n"))
        }
    }

    /// Command lines that never come to a verb, with the exit status.
    @Test(
        arguments: [
            ([], 2), (["svae"], 2), (["--nonsense"], 2), (["--root", "/nonexistent", "load"], 2),
            (["--version"], 0), (["help", "a", "b"], 2), (["load", "--from", "x"], 2),
        ] as [([String], Int32)])
    func exitStatuses(arguments: [String], status: Int32) throws {
        #expect(try Command.run([program] + arguments).status == status)
        let json = try Command.run([program] + arguments + ["--json"])
        #expect(json.status == status)
        if status != 0 {
            #expect(json.json?["error"]?.object?["exitStatus"] == .integer(Int64(status)))
        }
    }

    @Test func anEnvironmentMayGiveTheRoot() throws {
        let run = try Command.run(
            [program, "save", "office"], environment: ["UTUNCTL_ROOT": root.path])
        #expect(run.status == 0)
        #expect(root.contents.contains("/etc/utunctl/preferences.json"))
    }
}
