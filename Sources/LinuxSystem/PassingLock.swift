import CLinux
import Glibc

/// A lock that is held for a moment: a file that its holder makes and removes again.
///
/// Nobody else may even read the file. Of what others may open, a directory included, they may
/// also take an advisory lock, and so keep everybody waiting.
package struct PassingLock: ~Copyable {
    private let path: String
    private let file: FileDescriptor

    private static let pauseMicroseconds: UInt32 = 2000

    /// Takes the lock, waiting at most until the deadline.
    ///
    /// - Returns: `nil` when another holds it all the time.
    package static func take(_ path: String, until deadline: Deadline) throws(SystemError)
        -> PassingLock?
    {
        while true {
            let file = try FileDescriptor.open(path, O_RDWR | O_CREAT | O_NOFOLLOW, mode: 0o600)
            let raw = file.raw
            do throws(SystemError) {
                try checkShim("fcntl", path) { ut_file_lock(raw) }
                // The holder before may have removed it after it was opened here.
                if try file.isAt(path) { return PassingLock(path: path, file: file) }
            } catch {
                guard error.errno == EAGAIN || error.errno == EACCES else { throw error }
                if deadline.hasPassed { return nil }
                // No lock tells when it is free without blocking for good.
                usleep(pauseMicroseconds)
            }
        }
    }

    deinit {
        // While it is held: afterwards the file may be another's.
        unlink(path)
    }
}
