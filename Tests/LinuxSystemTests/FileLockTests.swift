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

    @Test func aDirectoryIsLockedWithoutLeavingAFile() throws {
        let deadline = Deadline.after(milliseconds: 30)
        var lock = try FileLock.takeDirectory(directory.path, until: deadline)
        let second = try FileLock.takeDirectory(directory.path, until: deadline) == nil
        #expect(second && deadline.hasPassed)
        #expect(try Directory.names(directory.path).isEmpty)
        lock = nil
        let third = try FileLock.takeDirectory(directory.path, until: deadline) != nil
        #expect(third)
        _ = lock
    }
}
