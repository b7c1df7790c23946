import JSON
import TestSupport
import Testing

@Suite struct SaveDocumentTests {
    private let root: TemporaryRoot
    private let preferences = "/etc/utunctl/preferences.json"
    private let first = "11111111-1111-4111-8111-111111111111"

    init() throws {
        root = try TemporaryRoot()
        try root.installProvider()
    }

    private func save(_ text: String, _ options: String...) throws -> Command.Result {
        try root.run(["save", "--from", "-"] + options, input: text)
    }

    private func names() throws -> [String] {
        let loaded = try root.run(["load"]).json?["configurations"]?.array ?? []
        return loaded.compactMap { $0.object?["name"]?.string }
    }

    @Test func severalOrNone() throws {
        let both = """
            {"formatVersion": 1, "configurations": [
              {"identifier": "\(first)", "name": "a"}, {"name": "b", "title": "B"}]}
            """
        let saved = try save(both)
        #expect(saved.status == 0)
        #expect(saved.output.hasPrefix("created a \(first) generation 1\ncreated b "))
        #expect(saved.output.hasSuffix(" generation 1\n"))
        let before = root.read(preferences)
        let again = try save(both)
        #expect(again.status == 7)
        #expect(again.errors.contains("another configuration has the name b"))
        let half = try save(
            #"{"formatVersion": 1, "configurations": [{"name": "c"}, {"name": "d", "mtu": 1}]}"#)
        #expect(half.status == 7)
        #expect(half.errors.contains("standard input: configurations[1]: unknown key mtu"))
        let wrong = try save(
            """
            {"formatVersion": 1, "configurations": [{"name": "c"},
              {"name": "d", "providerConfiguration": {"silnt": true}}]}
            """)
        #expect(wrong.errors.contains("configurations[1].providerConfiguration: unknown key silnt"))
        #expect(wrong.errors.contains("did you mean silent?"))
        #expect(root.read(preferences) == before)
        #expect(try names() == ["a", "b"])
    }

    @Test func whatIsLoadedCanBeSaved() throws {
        _ = try save(#"{"name": "a", "trust": ["x/y"], "idleTimeout": 5}"#)
        _ = try save(#"{"name": "b"}"#)
        let before = root.read(preferences)
        let loaded = try root.run(["load"]).output
        // The file has a configuration a line, what is printed is laid out for people.
        let values = try [loaded, before ?? ""].map { text in
            try JSONDocument(parsing: text.utf8).withRoot { $0.value }
        }
        #expect(values[0] == values[1])
        let saved = try save(loaded)
        #expect(saved.status == 0)
        #expect(saved.output.split(separator: "\n").allSatisfy { $0.hasPrefix("unchanged ") })
        #expect(root.read(preferences) == before)

        let other = try TemporaryRoot()
        let there = try other.run(["save", "--from", "-"], input: loaded)
        #expect(there.status == 0)
        let copy = try other.run(["load", "a"]).json?["configurations"]?.array?.first
        let original = try root.run(["load", "a"]).json?["configurations"]?.array?
            .first
        #expect(copy?.object?["identifier"] == original?.object?["identifier"])
        #expect(copy?.object?["trust"] == original?.object?["trust"])
    }

    @Test func aDocumentNeverDeletes() throws {
        _ = try save(#"{"name": "a"}"#)
        let empty = try save(#"{"formatVersion": 1, "configurations": []}"#)
        #expect(empty.status == 0)
        #expect(empty.output == "")
        #expect(try names() == ["a"])
    }

    /// The document, the exit status, and what is said of it.
    @Test(
        arguments: [
            ("", 7, "standard input: line 1, column 1"),
            ("{", 7, "standard input: line 1"),
            ("[]", 7, "not an object"),
            (#"{"configurations": []}"#, 7, "formatVersion: missing"),
            (
                #"{"formatVersion": 2, "new": 1}"#, 7,
                "formatVersion 2 was written by a newer utunctl"
            ),
            (#"{"formatVersion": 1, "configuration": []}"#, 7, "did you mean configurations?"),
            (#"{"name": "a", "name": "b"}"#, 7, "duplicate object key"),
            (#"{"name": "a", "titel": ""}"#, 7, "did you mean title?"),
            (#"{"name": "a", "credentials": {"k": "hunter2"}}"#, 7, "not file:PATH"),
            ("{\"name\": \"a\u{0}\"}", 7, "standard input: line 1"),
            ("\u{FEFF}{\"name\":\r\n \"crlf\"}\r\n", 0, ""),
            (#"{"identifier": "X", "name": "a"}"#, 7, "identifier: not a UUID in lower case"),
        ] as [(String, Int32, String)])
    func documents(text: String, status: Int32, problem: String) throws {
        let run = try save(text)
        #expect(run.status == status, "\(run.errors)")
        #expect(problem.isEmpty ? run.errors == "" : run.errors.contains(problem), "\(run.errors)")
        #expect((root.read(preferences) == nil) == (status != 0))
    }

    @Test func generationsOfTheDocument() throws {
        #expect(try save(#"{"name": "a"}"#, "--if-generation", "0").status == 0)
        #expect(try save(#"{"name": "b"}"#, "--if-generation", "0").status == 8)
        #expect(try save(#"{"name": "b"}"#, "--if-generation", "1").status == 0)
        #expect(try names() == ["a", "b"])
    }

    @Test func whatIsToldOfSteersNoTerminal() throws {
        let run = try save(#"{"name": "a", "\u001b[31m\u009b\u202ex": 1}"#)
        #expect(run.errors.contains(#"unknown key \u{1B}[31m\u{009B}\u{202E}x"#), "\(run.errors)")
        #expect(!run.errors.utf8.contains(0x1B))
    }

    @Test func rehearsed() throws {
        _ = try save(#"{"identifier": "11111111-1111-4111-8111-111111111111", "name": "a"}"#)
        let run = try save(
            """
            {"formatVersion": 1, "configurations": [
              {"identifier": "\(first)", "name": "z"}, {"name": "b"}]}
            """, "--dry-run", "--json")
        #expect(
            run.output == """
                {"formatVersion":1,"dryRun":true,"saved":[{"name":"z","identifier":"\(first)",\
                "generation":2,"changed":true},{"name":"b","identifier":null,"generation":2,\
                "changed":true}],"changes":[{"name":"z","identifier":"\(first)","change":"changed",\
                "paths":[{"path":"name","old":"a","new":"z"}]},{"name":"b","identifier":null,\
                "change":"created","paths":[]}],"warnings":[]}

                """)
        #expect(try names() == ["a"])
    }
}
