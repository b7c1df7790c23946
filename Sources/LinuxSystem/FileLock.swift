import CLinux
import Glibc

/// A lock that lives as long as its open file description: `F_OFD_SETLK`.
///
/// It outlives neither its process nor a crash, and whoever only wants to know takes
/// nothing by asking.
package struct FileLock: ~Copyable {
    private let file: FileDescriptor

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
        while true {
            guard let lock = try takeOnce(path, mode: mode, group: group) else { return nil }
            if try lock.isAt(path) { return lock }
        }
    }

    /// Whether a path leads to the file of this lock.
    package borrowing func isAt(_ path: String) throws(SystemError) -> Bool {
        try file.isAt(path)
    }

    private static func takeOnce(_ path: String, mode: UInt32, group: UInt32?)
        throws(SystemError) -> FileLock?
    {
        let file = try FileDescriptor.open(path, O_RDWR | O_CREAT | O_NOFOLLOW, mode: 0o600)
        let raw = file.raw
        do throws(SystemError) {
            try checkShim("fcntl", path) { ut_file_lock(raw) }
        } catch {
            if error.errno == EAGAIN || error.errno == EACCES { return nil }
            throw error
        }
        // Only now: the file of another holder may be another's to change.
        try file.setAccess(mode: mode, group: group, path)
        return FileLock(file: file)
    }

    /// Whether somebody holds the lock of a file; an absent file is not held.
    package static func isHeld(_ path: String) throws(SystemError) -> Bool {
        do throws(SystemError) {
            let file = try FileDescriptor.open(path, O_RDONLY | O_NOFOLLOW)
            let raw = file.raw
            return try checkShim("fcntl", path) { ut_file_lock_is_held(raw) } == 1
        } catch {
            if error.errno == ENOENT { return false }
            throw error
        }
    }

    /// Takes the advisory lock of a directory, waiting at most until the deadline.
    ///
    /// The directory itself is locked (`flock(2)`), so that no lock file is left in it.
    package static func takeDirectory(_ path: String, until deadline: Deadline)
        throws(SystemError) -> FileLock?
    {
        let directory = try FileDescriptor.openDirectory(path)
        let raw = directory.raw
        while true {
            do throws(SystemError) {
                try checkShim("flock", path) { ut_flock(raw, true, false) }
                return FileLock(file: directory)
            } catch {
                guard error.errno == EWOULDBLOCK else { throw error }
                if deadline.hasPassed { return nil }
                // No lock tells when it is free without blocking for good.
                usleep(5000)
            }
        }
    }
}
