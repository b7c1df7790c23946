import Glibc
import JSON
import TestSupport
import Testing

/// Output that goes nowhere, or to places that are not the usual ones.
@Suite(
    .serialized,
    .enabled("\(PrivateNamespace.requirement)") { try PrivateNamespace.isPresent })
struct OutputPlaceTests {
    /// Command lines of verbs that print; nobody and nothing is called none.
    static let verbs = [
        "status", "status --json", "status office", "status --watch", "status --watch --json",
        "load", "load --json", "plan office", "providers", "doctor", "profiles --json",
        "credential list --json", "help", "help exit-status --json", "completions bash",
        "--help", "--version", "start office", "start office --json", "stop office --json",
        "save other --json", "none", "status none --json",
    ]

    private let site: Installation

    init() throws {
        site = try Installation()
        try site.save("office", "title=b\u{fc}ro \u{2603}")
    }

    /// Runs the program with what a shell makes of its standard descriptors.
    private func run(_ verb: String, _ places: String) throws -> Command.Result {
        let program = "\(Installation.built("utunctl")) --root \(site.root)"
        return try Command.run(["bash", "-c", "\(program) \(verb) \(places)"])
    }

    @Test(arguments: verbs)
    func aReaderThatHasGoneIsNothingToTalkOf(verb: String) throws {
        // Gone before the program begins: no race decides whether it is noticed.
        let script = """
            import os, subprocess, sys
            reading, writing = os.pipe()
            os.close(reading)
            run = subprocess.run(sys.argv[1:], stdout=writing, timeout=30)
            print(run.returncode)
            """
        let words = verb.split(separator: " ").map { String($0) }
        let result = try Command.run(["python3", "-c", script] + site.command(words))
        let status = Int32(result.output.dropLast())
        if verb.contains("none") {
            // An error has its words on standard error, and its own status.
            #expect(status == 2 || status == 4, "\(result)")
        } else {
            #expect(status == 1, "\(result)")
        }
        #expect(!result.errors.contains("pipe") && !result.errors.contains("Fatal"), "\(result)")
    }

    @Test(arguments: verbs)
    func aFullDiskAndAClosedOutputAreFailures(verb: String) throws {
        for (place, why) in [
            (">/dev/full", "No space left on device"), (">&-", "Bad file descriptor"),
        ] {
            let result = try run(verb, place)
            if verb.contains("none") {
                #expect(result.status == 2 || result.status == 4, "\(place): \(result)")
            } else {
                #expect(result.status == 1, "\(place): \(result)")
                #expect(result.errors.hasSuffix(": write: \(why)\n"), "\(place): \(result)")
            }
        }
    }

    @Test(arguments: verbs.filter { !$0.contains("--watch") })
    func whateverIsClosedNothingIsWrittenElsewhere(verb: String) throws {
        for places in ["<&- >/dev/null", "2>&- >/dev/null", "<&- >&- 2>&-"] {
            let result = try run(verb, places)
            #expect(result.status <= 12, "\(places): \(result)")
        }
        for path in ["etc/utunctl/preferences.json", "etc/utunctl/.lock"] {
            let text = site.read(path)
            #expect(text?.contains("utunctl:") != true, "\(path): \(text ?? "")")
        }
        #expect(try site.utunctl("load").status == 0)
    }

    @Test func aTunnelStartsWithoutAnyDescriptor() throws {
        // Its answer could not be told; the tunnel is none the worse for it.
        #expect(try run("start --wait office", "<&- >&- 2>&-").status == 1)
        #expect(try site.utunctl("status", "office").status == 0)
        #expect(try site.utunctl("stop", "office").status == 0)
        #expect(try site.utunctl("repair", "--all").output.isEmpty)
    }

    @Test(arguments: ["status", "status office", "load", "help status-json", "--help", "doctor"])
    func theWordsDependOnNoLocaleAndNoTerminal(verb: String) throws {
        let command = site.command(verb.split(separator: " ").map(String.init))
        let expected = try Command.run(command, environment: ["LANG": "C.UTF-8", "TERM": "xterm"])
        let environments: [[String: String]] = [
            [:], ["LANG": "C"], ["LC_ALL": "C"], ["LC_ALL": "de_DE.UTF-8"], ["TERM": ""],
            ["TERM": "dumb"], ["COLUMNS": "1"], ["COLUMNS": "100000"], ["LANG": "none"],
        ]
        for environment in environments {
            let result = try Command.run(command, environment: environment)
            // But for a sign that no other locale has.
            let words = expected.output.replacing("\u{2026}", with: "...")
            let isSame =
                result.output == expected.output
                || result.output == words && environment != [:]
            #expect(isSame && result.errors == expected.errors, "\(environment)")
            #expect(result.status == expected.status, "\(environment)")
        }
        if verb == "load" { #expect(expected.output.contains("b\u{fc}ro \u{2603}")) }
    }
}
