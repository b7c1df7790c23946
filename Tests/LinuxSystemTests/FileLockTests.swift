import Glibc
import LinuxSystem
import Testing

@Suite struct FileLockTests {
    private let directory: TemporaryDirectory
    private let path: String

    init() throws {
        directory = try TemporaryDirectory()
        path = directory.file("x.lock")
    }

    @Test func aLockIsHeldByOneAndFreeWhenItsOwnerGoes() throws {
        #expect(try !FileLock.isHeld(path))
        #expect(Files.status(path) == nil)
        var lock = try FileLock.take(path, mode: 0o600, group: nil)
        let isTaken = lock != nil
        #expect(isTaken)
        #expect(try FileLock.isHeld(path))
        // Another open file description of the same process counts as another.
        let second = try FileLock.take(path, mode: 0o600, group: nil) == nil
        #expect(second)
        lock = nil
        #expect(try !FileLock.isHeld(path))
        let third = try FileLock.take(path, mode: 0o600, group: nil) != nil
        #expect(third)
    }

    @Test func askingTakesNothingAndDisturbsNobody() throws {
        do { _ = try FileLock.take(path, mode: 0o644, group: nil) }
        for _ in 0..<100 { #expect(try !FileLock.isHeld(path)) }
        let lock = try FileLock.take(path, mode: 0o644, group: nil)
        for _ in 0..<100 { #expect(try FileLock.isHeld(path)) }
        let isHeld = lock != nil
        #expect(isHeld)
        #expect(Files.mode(path) == 0o644)
    }

    @Test func aFileWhoseLockAnotherHoldsIsNotChanged() throws {
        let lock = try FileLock.take(path, mode: 0o640, group: getegid())
        #expect(Files.mode(path) == 0o640)
        let isTaken = try FileLock.take(path, mode: 0o666, group: nil) == nil
        #expect(isTaken)
        #expect(Files.mode(path) == 0o640)
        _ = lock
    }

    @Test func aLinkInThePlaceOfALockIsRefused() throws {
        symlink(directory.file("elsewhere"), path)
        #expect(throws: SystemError("open", path, errno: ELOOP)) {
            _ = try FileLock.take(path, mode: 0o600, group: nil)
        }
        #expect(Files.status(directory.file("elsewhere")) == nil)
    }

    @Test func aPipeInThePlaceOfALockHoldsNobodyUp() throws {
        mkfifo(path, 0o600)
        #expect(try !FileLock.isHeld(path))
        #expect(try Directory.names(directory.path) == ["x.lock"])
    }

    @Test func aPassingLockLeavesNoFile() throws {
        let deadline = Deadline.after(milliseconds: 30)
        var lock = try PassingLock.take(path, until: deadline)
        let second = try PassingLock.take(path, until: deadline) == nil
        #expect(second && deadline.hasPassed)
        #expect(Files.mode(path) == 0o600)
        lock = nil
        #expect(try Directory.names(directory.path).isEmpty)
        let third = try PassingLock.take(path, until: .after(milliseconds: 5000)) != nil
        #expect(third)
        _ = lock
    }

    @Test func aPassingLockWhoseHolderWasKilledIsTakenAgain() throws {
        _ = try directory.write("x.lock", "", mode: 0o600)
        let isTaken = try PassingLock.take(path, until: .after(milliseconds: 100)) != nil
        #expect(isTaken)
        #expect(Files.status(path) == nil)
    }

    @Test func aReadersLockIsNobodysLifeAndKeepsNobodyOut() throws {
        do { _ = try FileLock.take(path, mode: 0o644, group: nil) }
        let reader = try ReadLock(path)
        #expect(try !FileLock.isHeld(path))
        let lock = try FileLock.take(path, mode: 0o644, group: nil)
        let isTaken = lock != nil
        #expect(isTaken)
        #expect(try FileLock.isHeld(path))
        #expect(try Directory.names(directory.path) == ["x.lock"])
        _ = reader
    }
}

/// A read lock, for which permission to read is enough.
private final class ReadLock {
    private let file: FileDescriptor

    init(_ path: String) throws {
        file = try FileDescriptor.open(path, O_RDONLY)
        var lock = flock()
        lock.l_type = Int16(F_RDLCK)
        let takeForOpenFile: CInt = 37
        try #require(fcntl(file.raw, takeForOpenFile, &lock) == 0)
    }
}
