import Glibc
import JSON
import LinuxSystem
import TestSupport
import Testing

@Suite(.serialized) struct SaveDurabilityTests {
    private let root: TemporaryRoot
    private let preferences = "/etc/utunctl/preferences.json"

    init() throws {
        root = try TemporaryRoot()
    }

    private func start(_ arguments: String...) throws -> Command {
        try Command(
            [Installation.built("utunctl"), "--root", root.path, "--quiet"] + arguments)
    }

    @Test func parallelSavesLoseNothing() throws {
        let programs = try (0..<40).map { try start("save", "tunnel\($0)") }
        for program in programs { #expect(try program.finish().status == 0) }
        let loaded = try root.run(["load"]).json
        let names = loaded?["configurations"]?.array?.compactMap { $0.object?["name"]?.string }
        #expect(Set(names ?? []) == Set((0..<40).map { "tunnel\($0)" }))
        #expect(loaded?["generation"] == .integer(40))
        #expect(root.contents == ["/etc", "/etc/utunctl", preferences])
    }

    @Test func ofSavesOntoOneGenerationOneWins() throws {
        _ = try root.run(["save", "office"])
        let programs = try (0..<12).map {
            try start("save", "office", "--if-generation", "1", "--title", "\($0)")
        }
        let statuses = try programs.map { try $0.finish().status }
        #expect(statuses.filter { $0 == 0 }.count == 1)
        #expect(statuses.filter { $0 == 8 }.count == 11)
    }

    @Test func aKilledSaveLeavesTheOldOrTheNew() throws {
        _ = try root.run(["save", "office"])
        var killed = 0
        var titles: Set<String> = ["", "0"]
        for attempt in 0..<60 {
            let program = try start("save", "office", "--title", "\(attempt)")
            usleep(UInt32(attempt % 30) * 400)
            program.signal(SIGKILL)
            if try program.finish().status == 128 + SIGKILL { killed += 1 }
            titles.insert("\(attempt)")
            let loaded = try root.run(["load", "office"])
            #expect(loaded.status == 0)
            let configuration = loaded.json?["configurations"]?.array?.first?.object
            let title = try #require(configuration?["title"]?.string)
            #expect(titles.contains(title))
            // What was read is what the next may be, or what it was.
            titles = [title]
        }
        #expect(killed > 0)
        // The next save clears what the killed ones left.
        #expect(try root.run(["save", "office", "--title", "last"]).status == 0)
        #expect(root.contents == ["/etc", "/etc/utunctl", preferences])
    }

    /// What the file holds, and the code of the failure.
    @Test(arguments: [
        ("", "preferencesCorrupt"),
        ("\n", "preferencesCorrupt"),
        ("{\"formatVersion\": 1, \"generation\": 3, \"configura", "preferencesCorrupt"),
        ("not JSON at all", "preferencesCorrupt"),
        ("[]", "preferencesCorrupt"),
        ("{}", "preferencesCorrupt"),
        (#"{"formatVersion": 1, "configurations": [{"name": "a"}]}"#, "preferencesCorrupt"),
        (#"{"formatVersion": 1, "configurations": [{"name": "a", "x": 1}]}"#, "preferencesCorrupt"),
        (#"{"formatVersion": 7, "configurations": "?"}"#, "preferencesNewer"),
    ])
    func corruptIsNeitherAbsentNorOverwritten(text: String, code: String) throws {
        try root.write(preferences, text, mode: 0o600)
        for arguments in [
            ["save", "a"], ["save", "a", "--dry-run"], ["load"], ["load", "a"], ["remove", "a"],
        ] {
            let run = try root.run(arguments + ["--json"])
            #expect(run.status == 11, "\(arguments)")
            #expect(run.json?["error"]?.object?["code"]?.string == code)
            #expect(root.read(preferences) == text)
        }
        #expect(root.contents == ["/etc", "/etc/utunctl", preferences])
        let doctor = try root.run(["doctor", "--json"])
        #expect(doctor.status == 1)
        #expect(doctor.output.contains("\"code\":\"\(code)\",\"severity\":\"problem\""))
        #expect(try root.run(["repair"]).status == 0)
        #expect(root.read(preferences) == text)
    }

    @Test func preferencesThatOthersMayWriteAreNotRead() throws {
        try root.write(preferences, #"{"formatVersion": 1}"#, mode: 0o666)
        let run = try root.run(["load", "--json"])
        #expect(run.status == 10)
        #expect(run.json?["error"]?.object?["code"]?.string == "preferencesUnsafe")
        #expect(run.errors.contains("mode 0666 lets others write it"))
    }
}
