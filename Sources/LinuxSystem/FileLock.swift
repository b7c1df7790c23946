import CLinux
import Glibc

/// A lock that lives as long as its open file description: `F_OFD_SETLK`.
///
/// It outlives neither its process nor a crash, and whoever only wants to know takes
/// nothing by asking.
package struct FileLock: ~Copyable {
    private let file: FileDescriptor

    /// A link in its place is refused, and a FIFO must not hold us up.
    private static let flags = O_NOFOLLOW | O_NONBLOCK

    /// How long others may be busy taking the same lock.
    private static let takingMilliseconds: Int64 = 2000

    /// Takes the lock of a file, which is made if need be, without waiting.
    ///
    /// The holder of a lock may remove its file. Whoever opened that before would then hold
    /// the lock of a file that nobody else finds: the lock counts only if the path still
    /// leads to it.
    ///
    /// - Returns: `nil` when another holds it.
    package static func take(_ path: String, mode: UInt32, group: UInt32?) throws(SystemError)
        -> FileLock?
    {
        // One at a time: a file that is replaced must not be another's by then.
        let (directory, name) = AtomicFile.split(path)
        let deadline = Deadline.after(milliseconds: takingMilliseconds)
        let turn = try PassingLock.take("\(directory)/.\(name)", until: deadline)
        guard turn != nil else { throw SystemError("fcntl", path, errno: EBUSY) }
        while true {
            let file = try FileDescriptor.open(path, O_RDWR | O_CREAT | flags, mode: 0o600)
            let raw = file.raw
            do throws(SystemError) {
                try checkShim("fcntl", path) { ut_file_lock(raw) }
            } catch {
                guard error.errno == EAGAIN || error.errno == EACCES else { throw error }
                if try isHeld(file, path) { return nil }
                // Whoever may read the file of a dead holder can keep it from being locked,
                // but not from being replaced.
                try Directory.removeFile(path)
                continue
            }
            guard try file.isAt(path) else { continue }
            // Only now: the file of another holder may be another's to change.
            try file.setAccess(mode: mode, group: group, path)
            return FileLock(file: file)
        }
    }

    /// Whether a path leads to the file of this lock.
    package borrowing func isAt(_ path: String) throws(SystemError) -> Bool {
        try file.isAt(path)
    }

    /// Whether somebody holds the lock of a file; an absent file is not held.
    package static func isHeld(_ path: String) throws(SystemError) -> Bool {
        do throws(SystemError) {
            return try isHeld(try FileDescriptor.open(path, O_RDONLY | flags), path)
        } catch {
            if error.errno == ENOENT { return false }
            throw error
        }
    }

    private static func isHeld(_ file: borrowing FileDescriptor, _ path: String)
        throws(SystemError) -> Bool
    {
        let raw = file.raw
        return try checkShim("fcntl", path) { ut_file_lock_is_held(raw) } == 1
    }
}
