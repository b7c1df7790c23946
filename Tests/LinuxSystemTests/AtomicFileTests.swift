import Glibc
import LinuxSystem
import TestSupport
import Testing

@Suite struct AtomicFileTests {
    private let directory: TemporaryDirectory
    private let path: String

    init() throws {
        directory = try TemporaryDirectory()
        path = directory.file("preferences.json")
    }

    @Test func aFileIsMadeAndReplacedAndNothingElseIsLeft() throws {
        for text in ["one", "", String(repeating: "two", count: 100_000)] {
            try AtomicFile.replace(path, with: Array(text.utf8), mode: 0o600)
            #expect(try Files.text(path) == text)
            #expect(try Directory.names(directory.path) == ["preferences.json"])
        }
    }

    @Test(
        arguments: [
            (0o600, 0o600), (0o644, 0o644), (0o640, 0o600), (0o660, 0o600), (0o755, 0o755),
            (0o711, 0o711), (0o604, 0o604), (0o654, 0o644),
        ] as [(UInt32, mode_t)])
    func withoutAGroupItsBitsAreThoseOfEverybody(mode: UInt32, expected: mode_t) throws {
        try AtomicFile.replace(path, with: [1], mode: mode, isDurable: false)
        #expect(Files.mode(path) == expected)
    }

    @Test func theGroupMayReadWhereTheFileCouldBeGivenToIt() throws {
        try AtomicFile.replace(path, with: [1], mode: 0o640, group: getegid())
        #expect(Files.mode(path) == 0o640)
        try AtomicFile.replace(path, with: [1], mode: 0o640, group: 54_321)
        let status = try #require(Files.status(path))
        let isGiven = status.st_gid == 54_321
        #expect(status.st_mode & 0o7777 == (isGiven ? 0o640 : 0o600))
        #expect(isGiven || geteuid() != 0 || !Account.isMapped(uid: 54_321))
    }

    @Test func theTemporaryFileHasItsFinalModeFromTheFirstByte() throws {
        let directory = directory.path
        let path = path
        let writer = OtherThread {
            for _ in 0..<60 {
                let bytes = [UInt8](repeating: 0x78, count: 1 << 20)
                try AtomicFile.replace(path, with: bytes, mode: 0o604, isDurable: false)
            }
            try AtomicFile.replace(path + ".end", with: [], mode: 0o600)
        }
        // The probe must not be blind: it has to see files that are being written.
        var seen = 0
        while Files.status(path + ".end") == nil {
            for name in try Directory.names(directory) where name.hasPrefix(".preferences") {
                guard let status = Files.status("\(directory)/\(name)") else { continue }
                seen += 1
                let mode = status.st_mode & 0o7777
                #expect(mode == 0o604 || mode == 0o600 && status.st_size == 0)
            }
        }
        try writer.join()
        #expect(seen > 0)
    }

    @Test func aReaderMeetsTheOldFileOrTheNewOne() throws {
        let path = path
        try AtomicFile.replace(path, with: [UInt8](repeating: 0, count: 300_000), mode: 0o600)
        let writer = OtherThread {
            for number in UInt8(1)...100 {
                let bytes = [UInt8](repeating: number, count: 300_000)
                try AtomicFile.replace(path, with: bytes, mode: 0o600, isDurable: false)
            }
        }
        var last: UInt8?
        while last != 100 {
            let bytes = try FileDescriptor.open(path, O_RDONLY).readAll(limit: 1 << 20)
            #expect(bytes.count == 300_000 && Set(bytes).count == 1)
            last = bytes.first
        }
        try writer.join()
    }

    @Test func aSymbolicLinkThatIsNotFollowedIsReplaced() throws {
        let target = try directory.write("target", "old")
        symlink("target", path)
        try AtomicFile.replace(path, with: Array("new".utf8), mode: 0o600)
        #expect(Directory.linkTarget(path) == nil)
        #expect(try Files.text(path) == "new")
        #expect(try Files.text(target) == "old")
    }

    @Test func aSymbolicLinkStaysOne() throws {
        let target = try directory.write("target", "old")
        symlink("target", path)
        try AtomicFile.replace(path, with: Array("new".utf8), mode: 0o600, followsLink: true)
        #expect(Directory.linkTarget(path) == "target")
        #expect(try Files.text(target) == "new")
        #expect(try Directory.names(directory.path) == ["preferences.json", "target"])

        // A link that leads nowhere is an error, and stays as well.
        unlink(target)
        #expect(throws: SystemError("realpath", path, errno: ENOENT)) {
            try AtomicFile.replace(path, with: [], mode: 0o600, followsLink: true)
        }
        #expect(Directory.linkTarget(path) == "target")
    }

    @Test func aFailureLeavesTheOldFileAndNoTemporaryOne() throws {
        try Directory.create(path, mode: 0o755)
        #expect(throws: SystemError("rename", path, errno: EISDIR)) {
            try AtomicFile.replace(path, with: [1], mode: 0o600)
        }
        #expect(try Directory.names(directory.path) == ["preferences.json"])
        let absent = directory.file("absent/x")
        #expect(throws: SystemError("open", directory.file("absent"), errno: ENOENT)) {
            try AtomicFile.replace(absent, with: [1], mode: 0o600)
        }
    }

    /// The limit of a file's size and the umask are the process's: it has one of its own.
    @Test func aDiskThatIsFullLeavesTheOldFileAndNoTemporaryOne() async throws {
        try AtomicFile.replace(path, with: Array("old".utf8), mode: 0o600)
        let directory = directory.path
        await #expect(processExitsWith: .success) { [directory = directory as String] in
            let path = directory + "/preferences.json"
            signal(SIGXFSZ, SIG_IGN)
            var limit = rlimit(rlim_cur: 4096, rlim_max: 4096)
            setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
            #expect(throws: SystemError("write", path, errno: EFBIG)) {
                try AtomicFile.replace(
                    path, with: [UInt8](repeating: 1, count: 10_000), mode: 0o600)
            }
            let names = try Directory.names(directory)
            let text = try Files.text(path)
            #expect(names == ["preferences.json"])
            #expect(text == "old")
        }
    }

    @Test func theUmaskTakesNothingAway() async throws {
        let directory = directory.path
        await #expect(processExitsWith: .success) { [directory = directory as String] in
            umask(0o777)
            try AtomicFile.replace("\(directory)/a", with: [1], mode: 0o644)
            try Directory.create("\(directory)/b", mode: 0o755)
            umask(0)
            try AtomicFile.replace("\(directory)/c", with: [1], mode: 0o600)
            try Directory.create("\(directory)/d", mode: 0o700)
        }
        #expect(Files.mode("\(directory)/a") == 0o644)
        #expect(Files.mode("\(directory)/b") == 0o755)
        #expect(Files.mode("\(directory)/c") == 0o600)
        #expect(Files.mode("\(directory)/d") == 0o700)
    }

    @Test(arguments: [
        ("a", ".", "a"), ("/a", "/", "a"), ("/a/b", "/a", "b"), ("a/b", "a", "b"),
        ("a/\u{301}b", "a", "\u{301}b"), ("/", "/", ""),
    ])
    func pathsAreSplitAtTheLastSlash(path: String, directory: String, name: String) {
        let parts = AtomicFile.split(path)
        #expect(Array(parts.directory.utf8) == Array(directory.utf8))
        #expect(Array(parts.name.utf8) == Array(name.utf8))
    }
}
