import Glibc
import JSON
import LinuxSystem
import TestSupport
import Testing

@testable import Commands

@Suite struct VerbTests {
    private let root: TemporaryRoot
    private let identifier = "11111111-1111-4111-8111-111111111111"

    init() throws {
        root = try TemporaryRoot()
    }

    private func run(_ arguments: String...) throws -> Command.Result {
        try root.run(arguments)
    }

    /// A record of a session that never ended, with the files that it leaves.
    private func leaveRecord(of name: String, hasEnd: Bool = false) throws {
        let end = """
            {"attempt": "\(identifier)", "time": "2026-01-02T03:04:05.000000Z",
             "code": "stoppedByUser", "text": ""}
            """
        try root.write(
            "/run/utunctl/\(identifier).session.json",
            """
            {"formatVersion": 1, "identifier": "\(identifier)", "name": "\(name)", "generation": 1,
             "attempt": "\(identifier)", "origin": "user", "started": "2026-01-02T03:04:05.000000Z",
             "networkNamespace": "net:[1]", "end": \(hasEnd ? end : "null")}
            """)
        if !hasEnd { try root.write("/run/utunctl/\(identifier).lock", "", mode: 0o600) }
    }

    // MARK: load

    @Test func loadOfNothing() throws {
        let run = try run("load")
        #expect(run.status == 0)
        #expect(
            run.output == """
                {
                  "formatVersion": 1,
                  "generation": 0,
                  "configurations": []
                }

                """)
        #expect(run.errors == "utunctl: load: nothing was ever saved\n")
        #expect(root.contents == [])
    }

    @Test func loadOfSome() throws {
        for name in ["a", "b", "c"] { _ = try run("save", name) }
        let some = try run("load", "c", "a", "c", "--json")
        #expect(some.output.hasPrefix(#"{"formatVersion":1,"generation":3,"configurations":["#))
        let names = some.json?["configurations"]?.array?.map { $0.object?["name"]?.string }
        #expect(names == ["a", "c"])
        let unknown = try run("load", "a", "bb")
        #expect(unknown.status == 4)
        #expect(unknown.output == "")
        #expect(unknown.errors.contains("no configuration bb\ndid you mean b?"))
        #expect(try run("load", "--quiet").output != "")
    }

    // MARK: remove

    @Test func removes() throws {
        for name in ["a", "b", "c"] { _ = try run("save", name) }
        let loaded = try run("load", "b").json?["configurations"]?.array?.first?.object
        let identifier = try #require(loaded?["identifier"]?.string)
        try root.write("/run/utunctl/\(identifier).log", "")
        try root.write("/run/utunctl/\(identifier).session.json", "{}")
        #expect(try run("remove", "a", "nope").status == 4)
        #expect(try run("load", "a").status == 0)
        let removed = try run("remove", identifier, "b", "--json")
        #expect(removed.status == 0)
        #expect(
            removed.output == """
                {"formatVersion":1,"removed":[{"name":"b","identifier":"\(identifier)",\
                "wasRunning":false}]}

                """)
        #expect(root.contents.filter { $0.hasPrefix("/run/utunctl/") } == [])
        #expect(try run("load", "b").status == 4)
        #expect(try run("load").json?["generation"] == .integer(4))
        #expect(try run("remove").status == 2)
    }

    @Test func aUnitOfWhatIsRemovedIsTold() throws {
        for name in ["a", "b"] { _ = try run("save", name) }
        try root.write("/etc/systemd/system/multi-user.target.wants/utunctl@a.service", "")
        try root.write("/etc/systemd/system/utunctl@a.service.d/time.conf", "[Service]\n")
        #expect(try run("remove", "b").errors.isEmpty)
        let removed = try run("remove", "a")
        #expect(removed.status == 0)
        #expect(removed.errors.contains("systemctl disable utunctl@a.service"), "\(removed)")
        #expect(removed.errors.contains("utunctl@a.service.d stays"), "\(removed)")
    }

    // MARK: enable

    @Test(arguments: ["enable", "disable"])
    func whoIsNotRootIsToldSoAndNotThatSystemdIsMissing(verb: String) throws {
        guard geteuid() == 0 else { return }
        let run = try Command.run([
            "setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--",
            Installation.built("utunctl"), verb, "office", "--json",
        ])
        #expect(run.status == 10, "\(run)")
        #expect(run.json?["error"]?.object?["code"] == .string("serviceManagerForbidden"))
        #expect(run.errors.hasSuffix("run as root\n"), "\(run)")
    }

    // MARK: providers

    @Test func listsProviders() throws {
        try root.installProvider("org.example.good", keys: #", "title": "Good""#)
        try root.installProvider("org.example.open", keys: #", "network": "host""#)
        try root.installProvider("org.example.new", keys: #", "title": "x""#)
        try root.write("/usr/libexec/utunctl/org.example.new", "", mode: 0o600)
        try root.write("/etc/utunctl/providers.d/org.example.bad.json", "{")
        let list = try run("providers")
        #expect(list.status == 0)
        let lines = list.output.split(separator: "\n").map(String.init)
        #expect(lines.count == 4)
        #expect(lines[0].contains("line 1"))
        #expect(lines[1].hasSuffix("network none  ok"))
        #expect(lines[2].hasSuffix("not executable"))
        #expect(lines[3].hasSuffix("network host  ok"))
        let json = try run("providers", "--json").json?["providers"]?.array?.compactMap(\.object)
        #expect(
            json?.map { $0["usable"] } == [.bool(false), .bool(true), .bool(false), .bool(true)])
        let good = try #require(json?[1])
        #expect(
            good.members.map(\.key) == [
                "identifier", "title", "manifest", "executable", "protocolVersion", "network",
                "usable", "problem",
            ])
        #expect(good["executable"]?.string == root.path("/usr/libexec/utunctl/org.example.good"))
        #expect(json?[0]["executable"] == .null)
        let none = try TemporaryRoot().run(["providers", "--json"])
        #expect(none.output == "{\"formatVersion\":1,\"providers\":[]}\n")
        #expect(none.errors == "utunctl: no provider is installed\n")
    }

    // MARK: repair

    @Test(arguments: [[], ["--all"], ["office"], ["11111111-1111-4111-8111-111111111111"]])
    func repairs(arguments: [String]) throws {
        try leaveRecord(of: "office")
        try root.write("/etc/utunctl/preferences.json", "corrupt", mode: 0o600)
        let repaired = try root.run(["repair", "--json"] + arguments)
        #expect(repaired.status == 0)
        #expect(
            repaired.output == """
                {"formatVersion":1,"repaired":[{"identifier":"\(identifier)","kind":"record",\
                "subject":"office"},{"identifier":"\(identifier)","kind":"lock",\
                "subject":"\(identifier).lock"}]}

                """)
        #expect(
            root.read("/run/utunctl/\(identifier).session.json")?.contains("sessionHostCrashed")
                == true)
        #expect(root.read("/run/utunctl/\(identifier).lock") == nil)
        let again = try root.run(["repair"] + arguments)
        #expect(again.status == 0)
        #expect(again.output == "")
        #expect(again.errors.contains("nothing was left to clear"))
        // Repairing is not when it crashed.
        let record = root.read("/run/utunctl/\(identifier).session.json") ?? ""
        #expect(record.contains("\"time\": null"), "\(record)")
    }

    @Test func repairLeavesTheLiving() throws {
        try leaveRecord(of: "office")
        let lock = try FileLock.take(
            root.path("/run/utunctl/\(identifier).lock"), mode: 0o600, group: nil)
        let contents = root.contents
        let named = try run("repair", "office")
        #expect(named.status == 0)
        #expect(named.errors.contains("office runs, and was left alone"))
        #expect(try run("repair").status == 0)
        #expect(root.contents == contents)
        withExtendedLifetime(lock != nil) {}
        if let lock { _ = consume lock }
    }

    @Test func repairOfTheUnknown() throws {
        #expect(try run("repair", "nope").status == 4)
        #expect(try run("repair", "--all", "nope").status == 2)
        try leaveRecord(of: "office", hasEnd: true)
        #expect(try run("repair", "office").status == 4)
        try root.write("/etc/utunctl/preferences.json", "corrupt", mode: 0o600)
        let unknown = try run("repair", "nope")
        #expect(unknown.status == 4)
        #expect(unknown.errors.contains("what is saved cannot be read"))
        #expect(try run("repair", "office").status == 0)
    }
}
