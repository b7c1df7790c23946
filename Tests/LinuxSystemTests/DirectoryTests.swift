import Glibc
import LinuxSystem
import TestSupport
import Testing

@Suite struct DirectoryTests {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    @Test func missingParentsAreMadeForAllToPass() throws {
        try Directory.create(directory.file("a/b/c"), mode: 0o700)
        #expect(Files.mode(directory.file("a")) == 0o755)
        #expect(Files.mode(directory.file("a/b")) == 0o755)
        #expect(Files.mode(directory.file("a/b/c")) == 0o700)
        // One that is there stays as it is.
        try Directory.create(directory.file("a/b"), mode: 0o711)
        #expect(Files.mode(directory.file("a/b")) == 0o755)
    }

    @Test func aFileInThePlaceOfADirectoryIsAnError() throws {
        let path = try directory.write("file", "")
        #expect(throws: SystemError("mkdir", path, errno: EEXIST)) {
            try Directory.create(path, mode: 0o755)
        }
        #expect(throws: SystemError("mkdir", path + "/x", errno: ENOTDIR)) {
            try Directory.create(path + "/x", mode: 0o755)
        }
        symlink("nowhere", directory.file("link"))
        #expect(throws: SystemError.self) {
            try Directory.create(directory.file("link/x"), mode: 0o755)
        }
    }

    @Test func manyMakeTheSameDirectoryAtOnce() throws {
        for round in 0..<50 {
            let path = directory.file("\(round)/x/y")
            let makers = (0..<4).map { _ in
                OtherThread { try Directory.create(path, mode: 0o700) }
            }
            for maker in makers { try maker.join() }
            #expect(Files.mode(path) == 0o700)
        }
    }

    @Test func namesAreSortedAndAnAbsentDirectoryHasNone() throws {
        for name in ["b", ".a", "c"] { _ = try directory.write(name, "") }
        #expect(try Directory.names(directory.path) == [".a", "b", "c"])
        #expect(try Directory.names(directory.file("absent")).isEmpty)
        #expect(throws: SystemError("opendir", directory.file("b"), errno: ENOTDIR)) {
            try Directory.names(directory.file("b"))
        }
        try Directory.removeFile(directory.file("b"))
        try Directory.removeFile(directory.file("b"))
        #expect(try Directory.names(directory.path) == [".a", "c"])
        #expect(throws: SystemError.self) { try Directory.removeFile(directory.path) }
        #expect(Directory.linkTarget(directory.file("c")) == nil)
    }

    @Test func aWatchTellsOfNamesThatComeGoOrAreReplaced() throws {
        let watch = try DirectoryWatch()
        #expect(try watch.add(directory.path))
        #expect(try !watch.add(directory.file("absent")))
        #expect(throws: SystemError.self) { try watch.add(try directory.write("file", "")) }
        func hasChanged() throws -> Bool {
            let raw = watch.descriptor.raw
            return try !LineClient.wait(for: [(raw, .readable)], until: .after(milliseconds: 0))
                .isEmpty
        }
        watch.drain()
        #expect(try !hasChanged())
        let changes: [() throws -> Void] = [
            { _ = try directory.write("a", "1") },
            { try AtomicFile.replace(directory.file("a"), with: [2], mode: 0o600) },
            { rename(directory.file("a"), directory.file("b")) },
            { try Directory.removeFile(directory.file("b")) },
            { try Directory.create(directory.file("d"), mode: 0o755) },
            { rmdir(directory.file("d")) },
        ]
        for change in changes {
            try change()
            #expect(try hasChanged())
            watch.drain()
            #expect(try !hasChanged())
        }
    }
}
