import Glibc
import JSON
import LinuxSystem
import TestSupport
import Testing
import TunnelModel

@testable import Commands

@Suite struct LogVerbTests {
    private static let first = "11111111-1111-4111-8111-111111111111"
    private static let second = "22222222-2222-4222-8222-222222222222"
    private let root: TemporaryRoot
    private let identifier: String

    init() throws {
        root = try TemporaryRoot()
        _ = try root.run(["save", "office"])
        let document = try #require(try root.run(["load", "office"]).json)
        let saved = document["configurations"]?.array?.first?.object
        identifier = try #require(saved?["identifier"]?.string)
    }

    private var path: String { "/run/utunctl/\(identifier).log" }

    private func line(_ second: Int, _ text: String, source: String = "utunctl") -> String {
        "2026-11-30T01:02:0\(second).000000Z \(source)[office]: \(text)\n"
    }

    private func session(_ attempt: String, _ second: Int, _ text: String) -> String {
        line(second, LogMarker.text(attempt, generation: 1)) + line(second, text)
    }

    private func texts(_ arguments: String...) throws -> [String] {
        let run = try root.run(["log", "office"] + arguments)
        #expect(run.status == 0, "\(run)")
        return run.output.split(separator: "\n").map { line in
            String(line.split(separator: " ", maxSplits: 2).last ?? "")
        }
    }

    /// A journalctl that prints some entries, and notes how it was called.
    private func writeJournal(_ entries: String) throws {
        try root.write("/entries", entries)
        try root.write(
            "/usr/bin/journalctl",
            "#!/bin/sh\necho \"$*\" >>\(root.path("/calls"))\ncat \(root.path("/entries"))\n",
            mode: 0o755)
    }

    @Test func theLastSessionIsPrintedAndOthersWhenAskedFor() throws {
        try root.write(path, session(Self.first, 1, "one") + session(Self.second, 2, "two"))
        #expect(try texts() == [LogMarker.text(Self.second, generation: 1), "two"])
        #expect(try texts("--attempt", "last", "--lines", "1") == ["two"])
        #expect(
            try texts("--attempt", Self.first) == [
                LogMarker.text(Self.first, generation: 1), "one",
            ])
        #expect(try texts("--attempt=all").count == 4)
        #expect(try texts("--lines", "0") == [])
    }

    @Test func whatIsNotThereIsSaidWithWhereWasLooked() throws {
        let none = try root.run(["log", "office"])
        #expect(none.status == 0)
        #expect(none.output == "")
        #expect(none.errors.contains(path), "\(none)")
        #expect(none.errors.contains("no journalctl"), "\(none)")
        try writeJournal("")
        let empty = try root.run(["log", "office"])
        #expect(empty.errors.contains("UTUNCTL_IDENTIFIER=\(identifier)"), "\(empty)")
        try root.write(path, session(Self.first, 1, "one"))
        let attempt = try root.run(["log", "office", "--attempt", Self.second, "--json"])
        #expect(attempt.status == 1)
        #expect(attempt.json?["error"]?.object?["code"] == .string("noSuchAttempt"))
        #expect(try root.run(["log", "nowhere"]).status == 4)
        #expect(try root.run(["log", "office", "--attempt", "first"]).status == 2)
        #expect(try root.run(["log", "office", "--lines", "-1"]).status == 2)
        #expect(try root.run(["log"]).status == 2)
    }

    @Test func asJSONEachLineIsAnObject() throws {
        try root.write(path, session(Self.first, 1, "one") + "last words\n")
        let run = try root.run(["log", "office", "--json"])
        let lines = try run.output.split(separator: "\n").map {
            try Installation.parse(String($0))
        }
        #expect(lines.count == 3)
        #expect(lines[1].keys == ["time", "attempt", "source", "code", "text", "from"])
        #expect(lines[1]["text"] == .string("one"))
        #expect(lines[1]["attempt"] == .string(Self.first))
        #expect(lines[1]["time"] == .string("2026-11-30T01:02:01.000000Z"))
        #expect(lines[2]["time"] == .null)
        #expect(lines[2]["attempt"] == .string(Self.first))
        #expect(lines.allSatisfy { $0["from"] == .string("file") })
    }

    @Test func theJournalIsAskedForTheSessionAndMerged() throws {
        let moment = try #require(Timestamp("2026-11-30T01:02:02.000000Z")).microseconds
        try writeJournal(
            """
            {"MESSAGE":"two","__REALTIME_TIMESTAMP":"\(moment)","UTUNCTL_NAME":"office",\
            "UTUNCTL_ATTEMPT":"\(Self.second)"}

            """)
        try root.write(path, session(Self.first, 1, "one") + line(3, "three"))
        #expect(
            try texts("--attempt", "all") == [
                LogMarker.text(Self.first, generation: 1), "one", "two", "three",
            ])
        _ = try texts()
        _ = try texts("--lines", "7")
        let calls = root.read("/calls")?.split(separator: "\n").map(String.init) ?? []
        let common = "--output=json --all --no-pager --quiet"
        #expect(
            calls == [
                "\(common) _UID=0 UTUNCTL_IDENTIFIER=\(identifier)",
                "\(common) _UID=0 UTUNCTL_IDENTIFIER=\(identifier) UTUNCTL_ATTEMPT=\(Self.first)",
                "\(common) --lines=7 _UID=0 UTUNCTL_IDENTIFIER=\(identifier) UTUNCTL_ATTEMPT=\(Self.first)",
            ])
    }

    @Test func afterARebootTheJournalAloneKnowsTheLastSession() throws {
        try writeJournal(
            #"{"MESSAGE":"one","__REALTIME_TIMESTAMP":"1","UTUNCTL_ATTEMPT":"\#(Self.first)"}"#
                + "\n")
        #expect(try root.run(["log", "office"]).output.contains(" utunctl: one\n"))
        #expect(root.read("/calls")?.contains("UTUNCTL_ATTEMPT=\(Self.first)") == true)
    }

    @Test func itWorksWithoutThePreferencesAsWell() throws {
        try root.write(path, session(Self.first, 1, "one"))
        try root.write("/etc/utunctl/preferences.json", "corrupt", mode: 0o600)
        let run = try root.run(["log", identifier])
        #expect(run.output.contains("one"), "\(run)")
    }

    @Test func followingGoesOnWhateverBecomesOfTheFile() throws {
        let full = root.path(path)
        func append(_ text: String) throws {
            try FileDescriptor.open(full, O_WRONLY | O_CREAT | O_APPEND, mode: 0o600)
                .write(Array(text.utf8))
        }
        let follow = try Command([
            Installation.built("utunctl"), "--root", root.path, "log", "-f", "office",
        ])
        func expect(_ text: String) throws {
            #expect(try follow.output(until: "\(text)\n").hasSuffix("\(text)\n"), "\(text)")
        }
        // Neither the file nor its directory is there yet.
        usleep(200_000)
        try root.makeDirectory("/run/utunctl")
        try append(session(Self.first, 1, "one"))
        try expect("one")
        try append("2026-11-30T01:02:03.000000Z utunctl[off")
        try append("ice]: two\n")
        try expect("utunctl[office]: two")
        #expect(truncate(full, 0) == 0)
        try append(session(Self.second, 1, "a"))
        try expect("a")
        #expect(unlink(full) == 0)
        try append(session(Self.first, 2, "b"))
        try expect("b")
        #expect(rename(full, "\(full).1") == 0)
        try append(line(3, "c"))
        try expect("c")
        follow.signal(SIGINT)
        let end = try follow.finish(seconds: 5)
        #expect(end.status == 130)
        #expect(end.errors == "")
        #expect(end.output.split(separator: "\n").count == 8, "\(end)")
    }

    @Test func followingTheJournalEndsWithTheProgramThatReadsIt() throws {
        try root.write(
            "/usr/bin/journalctl",
            """
            #!/bin/sh
            case "$*" in
            *--follow*) echo "$$ $*" >\(root.path("/pid"))
                echo '{"MESSAGE":"new","__REALTIME_TIMESTAMP":"1"}'
                exec sleep 60 ;;
            *) echo '{"MESSAGE":"old","__REALTIME_TIMESTAMP":"1","__CURSOR":"c1"}' ;;
            esac

            """, mode: 0o755)
        let follow = try Command([
            Installation.built("utunctl"), "--root", root.path, "log", "-f", "office",
            "--attempt", "all",
        ])
        let output = try follow.output(until: "new\n")
        #expect(output.contains("old\n") && output.contains("new\n"), "\(output)")
        let words = (root.read("/pid") ?? "").split(separator: " ")
        #expect(words.contains("--after-cursor=c1") && words.contains("--no-tail"))
        let pid = try #require(words.first.flatMap { Int32($0) })
        follow.signal(SIGTERM)
        #expect(try follow.finish(seconds: 5).status == 143)
        #expect(eventually { kill(pid, 0) == -1 })
    }

    @Test func followingEndsWithItsReader() throws {
        try root.write(path, session(Self.first, 1, "one"))
        let command = "'\(Installation.built("utunctl"))' --root '\(root.path)' log -f office"
        let run = try Command.run(
            ["bash", "-c", "set -o pipefail; \(command) | head -n 2"], seconds: 20)
        #expect(run.status == 1)
        #expect(run.output.split(separator: "\n").count == 2)
        #expect(run.errors == "")
    }

    @Test(arguments: ["log office", "metrics", "status", "status --explain office"])
    func aFullDiskIsAFailure(words: String) throws {
        try root.write(path, session(Self.first, 1, "one"))
        let command = "'\(Installation.built("utunctl"))' --root '\(root.path)' \(words)"
        let run = try Command.run(["sh", "-c", "\(command) >/dev/full"])
        #expect(run.status == 1)
        #expect(run.errors.contains("No space left"), "\(run)")
    }

    /// Lets everybody look at what is saved, and runs `log` as somebody who is not root.
    private func runAsAnother(_ arguments: [String] = []) throws -> Command.Result {
        try root.write(
            "/etc/utunctl/preferences.json", root.read("/etc/utunctl/preferences.json") ?? "")
        for path in [""] + root.contents {
            var status = stat()
            guard stat(root.path(path), &status) == 0, status.st_mode & S_IFMT == S_IFDIR
            else { continue }
            chmod(root.path(path), 0o755)
        }
        return try Command.run(
            [
                "setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--",
                Installation.built("utunctl"), "--root", root.path, "log", "office",
            ] + arguments)
    }

    @Test func aLogIsForRootAlone() throws {
        guard geteuid() == 0 else { return }
        try root.write(path, session(Self.first, 1, "one"), mode: 0o600)
        let run = try runAsAnother()
        #expect(run.status == 10, "\(run)")
        #expect(run.errors.contains("run as root"), "\(run)")
    }

    @Test(arguments: [[], ["--attempt", second], ["--follow"]])
    func aJournalThatMayNotBeReadIsNotAnEmptyOne(arguments: [String]) throws {
        guard geteuid() == 0 else { return }
        try writeJournal("")
        try root.write("/var/log/journal/11/system.journal", "x", mode: 0o640)
        #expect(try root.run(["log", "office"]).status == 0)
        try root.write("/calls", "", mode: 0o666)
        if arguments == ["--follow"] {
            try root.write(path, session(Self.first, 1, "one"), mode: 0o600)
        }
        let run = try runAsAnother(["--json"] + arguments)
        #expect(run.status == 10, "\(run)")
        #expect(run.json?["error"]?.object?["code"] == .string("logForbidden"))
    }

    @Test func aFileThatMayNotBeReadHidesNoJournal() throws {
        guard geteuid() == 0 else { return }
        let moment = try #require(Timestamp("2026-11-30T01:02:02.000000Z")).microseconds
        try writeJournal(
            """
            {"MESSAGE":"two","__REALTIME_TIMESTAMP":"\(moment)","UTUNCTL_NAME":"office",\
            "UTUNCTL_ATTEMPT":"\(Self.second)"}

            """)
        try root.write("/calls", "", mode: 0o666)
        chmod(root.path("/entries"), 0o644)
        try root.write(path, session(Self.first, 1, "one"), mode: 0o600)
        let all = try runAsAnother(["--attempt", "all"])
        #expect(all.status == 0 && all.output.hasSuffix(" two\n"), "\(all)")
        #expect(all.errors.contains("a log is for root alone"), "\(all)")
        let one = try runAsAnother(["--attempt", Self.second])
        #expect(one.status == 0 && one.output.hasSuffix(" two\n"), "\(one)")
        #expect(one.errors.isEmpty, "\(one)")
    }
}
