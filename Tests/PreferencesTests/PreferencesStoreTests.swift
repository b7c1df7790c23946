import Glibc
import JSON
import LinuxSystem
import Preferences
import TestSupport
import Testing
import TunnelModel

@Suite struct PreferencesStoreTests {
    private let root: TemporaryRoot
    private let store: PreferencesStore
    private let path = "/etc/utunctl/preferences.json"

    init() throws {
        root = try TemporaryRoot()
        store = PreferencesStore(FileLayout(root: root.path))
    }

    private func save(_ names: String...) throws(PreferencesError) {
        _ = try store.update { document throws(PreferencesError) in
            try document.save(names.map { Configuration(identifier: "", name: $0) })
        }
    }

    @Test func absentIsNoDocument() throws {
        #expect(try store.read() == nil)
        #expect(root.contents == [])
    }

    @Test func whatIsSavedIsRead() throws {
        try save("a", "b")
        let document = try #require(try store.read())
        #expect(document.configurations.map(\.name) == ["a", "b"])
        #expect(document.generation == 1)
        #expect(document.configurations.allSatisfy { Identifier.isValid($0.identifier) })
        #expect(root.contents == ["/etc", "/etc/utunctl", path])
        #expect(root.mode(path).map { $0 & 0o007 } == 0)
    }

    @Test func nothingIsWrittenWhereNothingChanged() throws {
        try store.update { _ throws(PreferencesError) in }
        #expect(root.read(path) == nil)
        try save("a")
        let inode = try status().st_ino
        try store.update { _ throws(PreferencesError) in }
        _ = try store.update { document throws(PreferencesError) in
            try document.save(document.configurations)
        }
        #expect(try status().st_ino == inode)
    }

    @Test func aRefusedChangeWritesNothing() throws {
        try save("a")
        let before = root.read(path)
        #expect(throws: PreferencesError.nameTaken("a")) { try save("b", "a") }
        #expect(root.read(path) == before)
    }

    @Test func theTemporaryFilesOfKilledSavesGo() throws {
        try root.write("/etc/utunctl/.preferences.json.123456789abc", "half", mode: 0o600)
        try root.write("/etc/utunctl/.other", "")
        try save("a")
        #expect(root.contents == ["/etc", "/etc/utunctl", "/etc/utunctl/.other", path])
    }

    @Test func corruptIsNotOverwritten() throws {
        let text = #"{"formatVersion": 1, "configurations": [{"name": "a", "titel": ""}]}"#
        try root.write(path, text, mode: 0o600)
        let found = error { () throws(PreferencesError) in try save("b") }
        guard case .corrupt(let place, .unknownKey(let object, let key, let known))? = found else {
            Issue.record("\(String(describing: found))")
            return
        }
        #expect(place == root.path(path))
        #expect(object == "configurations[0]")
        #expect(key == "titel")
        #expect(known.contains("title"))
        #expect(root.read(path) == text)
    }

    @Test func aSavedConfigurationHasAnIdentifier() throws {
        try root.write(
            path, #"{"formatVersion": 1, "configurations": [{"name": "a"}]}"#, mode: 0o600)
        #expect(
            throws: PreferencesError.corrupt(
                path: root.path(path),
                .value(path: "configurations[0].identifier", problem: "missing"))
        ) { try store.read() }
    }

    /// Modes of the file and its directory that let others in.
    @Test(arguments: [(0o620, 0o755), (0o602, 0o755), (0o600, 0o777)] as [(UInt32, UInt32)])
    func whatOthersMayWriteIsRefused(file: UInt32, directory: UInt32) throws {
        try root.write(path, #"{"formatVersion": 1}"#, mode: file)
        try root.makeDirectory("/etc/utunctl", mode: directory)
        let found = error { () throws(PreferencesError) in try save("a") }
        guard case .unreadable(.unsafe(_, let problem))? = found else {
            Issue.record("\(String(describing: found))")
            return
        }
        #expect(problem.contains("lets others write it"))
        #expect(root.read(path) == #"{"formatVersion": 1}"#)
    }

    @Test func aPipeInItsPlaceHoldsNobodyUp() throws {
        try root.makeDirectory("/etc/utunctl")
        mkfifo(root.path(path), 0o600)
        let found = error { () throws(PreferencesError) in _ = try store.read() }
        let expected = TrustedFile.Failure.unsafe(
            path: root.path(path), problem: "not a regular file")
        #expect(found == .unreadable(expected))
    }

    @Test func whatIsNewerIsNotCorrupt() throws {
        try root.write(path, #"{"formatVersion": 2, "whatever": {}}"#, mode: 0o600)
        #expect(
            throws: PreferencesError.corrupt(path: root.path(path), .newerFormat(2))
        ) { try store.read() }
    }

    private func error(_ body: () throws(PreferencesError) -> Void) -> PreferencesError? {
        do throws(PreferencesError) { try body() } catch { return error }
        return nil
    }

    private func status() throws -> stat {
        try FileDescriptor.open(root.path(path), O_RDONLY).status()
    }
}
