import Glibc
import LinuxSystem
import TestSupport
import Testing

@testable import Preferences

@Suite struct CredentialWritingTests {
    private let root: TemporaryRoot
    private let store: CredentialStore
    private let directory = "/etc/utunctl/credentials"

    init() throws {
        root = try TemporaryRoot()
        store = CredentialStore(FileLayout(root: root.path))
    }

    private func write(_ text: String, as name: String) throws {
        let turn = try PreferencesTurn.take(FileLayout(root: root.path))
        try store.write(Array(text.utf8), as: name, turn)
    }

    @Test func aSecretIsForItsOwnerAloneWhateverTheUmask() async {
        await #expect(processExitsWith: .success) {
            let root = try TemporaryRoot()
            let layout = FileLayout(root: root.path)
            for mask in [0, 0o777] as [mode_t] {
                umask(mask)
                let turn = try PreferencesTurn.take(layout)
                try CredentialStore(layout).write(Array("x".utf8), as: "key\(mask)", turn)
                guard root.mode("/etc/utunctl/credentials") == 0o700,
                    root.mode("/etc/utunctl/credentials/key\(mask)") == 0o600
                else { exit(1) }
            }
        }
    }

    @Test func aReplacedSecretIsAnotherFile() throws {
        try write("old", as: "k")
        let layout = FileLayout(root: root.path)
        let before = CredentialStore(layout).fingerprint("key", "file:k")
        try write("new", as: "k")
        #expect(CredentialStore(layout).fingerprint("key", "file:k") != before)
        #expect(root.read("\(directory)/k") == "new")
    }

    @Test func whatAKilledWriterLeftGoesWithTheNextSecret() throws {
        try write("x", as: "k")
        try root.write("\(directory)/.k.0123456789ab", "half a secr", mode: 0o600)
        try root.write("\(directory)/.keep", "", mode: 0o600)
        try root.write("\(directory)/.former.k", "", mode: 0o600)
        #expect(try store.names() == ["k"])
        try write("y", as: "other")
        #expect(try Directory.names(root.path(directory)) == [".former.k", ".keep", "k", "other"])
    }

    @Test func aDirectoryThatOthersMayWriteGetsNoSecret() throws {
        try root.makeDirectory(directory, mode: 0o777)
        #expect(throws: PreferencesError.self) { try write("x", as: "k") }
        #expect(try Directory.names(root.path(directory)) == [])
    }

    @Test func aLinkInItsPlaceIsReplacedAndNotFollowed() throws {
        try write("x", as: "k")
        try root.write("/elsewhere", "not ours", mode: 0o600)
        unlink(root.path("\(directory)/k"))
        symlink(root.path("/elsewhere"), root.path("\(directory)/k"))
        try write("secret", as: "k")
        #expect(root.read("/elsewhere") == "not ours")
        #expect(root.read("\(directory)/k") == "secret")
        #expect(Directory.linkTarget(root.path("\(directory)/k")) == nil)
    }

    @Test func removingIsDoneOnceAndTwice() throws {
        try write("x", as: "k")
        let turn = try PreferencesTurn.take(FileLayout(root: root.path))
        try store.remove("k", turn)
        try store.remove("k", turn)
        #expect(!store.contains("k"))
    }

    @Test func oneHasTheTurnAtATime() throws {
        let layout = FileLayout(root: root.path)
        let turn = try PreferencesTurn.take(layout)
        let begin = Clock.monotonicNanoseconds
        let lock = try PassingLock.take(
            root.path("/etc/utunctl/.lock"), until: .after(milliseconds: 50))
        let isHeld = lock == nil
        #expect(isHeld && Clock.monotonicNanoseconds - begin > 40_000_000)
        _ = consume turn
        let next = try PassingLock.take(
            root.path("/etc/utunctl/.lock"), until: .after(milliseconds: 50))
        let isFree = next != nil
        #expect(isFree)
    }
}
