import Glibc
import LinuxSystem
import Preferences
import TestSupport
import Testing

@Suite struct CredentialStoreTests {
    private let root: TemporaryRoot

    init() throws {
        root = try TemporaryRoot()
    }

    private func problem(_ reference: String) -> String? {
        do {
            _ = try CredentialStore(FileLayout(root: root.path)).open("key", reference)
            return nil
        } catch {
            #expect(error.name == "key")
            return error.problem
        }
    }

    @Test func opensWhatIsForTheOwnerAlone() throws {
        try root.write("/etc/utunctl/credentials/k", "hunter2", mode: 0o600)
        try root.write("/elsewhere/k", "hunter3", mode: 0o400)
        let store = CredentialStore(FileLayout(root: root.path))
        let file = try store.open("key", "file:k")
        #expect(try file.readAll(limit: 100) == Array("hunter2".utf8))
        #expect(problem("file:\(root.path("/elsewhere/k"))") == nil)
    }

    @Test(arguments: [0o640, 0o604, 0o620, 0o644, 0o666] as [UInt32])
    func laxModesAreRefused(mode: UInt32) throws {
        try root.write("/etc/utunctl/credentials/k", "hunter2", mode: mode)
        let text = String(mode, radix: 8)
        #expect(problem("file:k") == "mode 0\(text) lets others read or write it")
    }

    @Test func onlyRegularFiles() throws {
        try root.write("/etc/utunctl/credentials/k", "hunter2", mode: 0o600)
        symlink("k", root.path("/etc/utunctl/credentials/link"))
        mkfifo(root.path("/etc/utunctl/credentials/pipe"), 0o600)
        try root.makeDirectory("/etc/utunctl/credentials/directory", mode: 0o700)
        #expect(
            problem("file:link") == "not a regular file: a symbolic link, which is not followed")
        #expect(problem("file:pipe") == "not a regular file: a FIFO")
        #expect(problem("file:directory") == "not a regular file: a directory")
        #expect(problem("file:none") == SystemError.reason(of: ENOENT))
    }

    @Test func systemdHandsNothingToTests() {
        #expect(problem("credential:k")?.contains("LoadCredential= of the unit") == true)
        #expect(problem("k") == "not file:PATH or credential:NAME")
    }

    @Test func anotherFileHasAnotherFingerprint() throws {
        let store = CredentialStore(FileLayout(root: root.path))
        #expect(store.fingerprint("key", "file:k") == "missing")
        try root.write("/etc/utunctl/credentials/k", "hunter2", mode: 0o600)
        let before = store.fingerprint("key", "file:k")
        #expect(before != "missing")
        #expect(store.fingerprint("key", "file:k") == before)
        try AtomicFile.replace(
            root.path("/etc/utunctl/credentials/k"), with: Array("hunter2".utf8), mode: 0o600)
        #expect(store.fingerprint("key", "file:k") != before)
    }
}
