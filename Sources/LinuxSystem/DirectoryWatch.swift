import CLinux
import Glibc

/// Changes of the names in directories: `inotify(7)`.
package struct DirectoryWatch: ~Copyable {
    /// Readable when something has changed.
    package let descriptor: FileDescriptor

    /// Watches nothing yet.
    package init() throws(SystemError) {
        descriptor = FileDescriptor(
            taking: try checkShim("inotify_init1") { ut_inotify_create() })
    }

    /// Watches a directory for names that come, go or are replaced; answers whether it is
    /// there to be watched.
    package borrowing func add(_ path: String) throws(SystemError) -> Bool {
        let events = UInt32(
            IN_CREATE | IN_DELETE | IN_MOVED_TO | IN_MOVED_FROM | IN_CLOSE_WRITE | IN_DELETE_SELF
                | IN_ONLYDIR)
        let raw = descriptor.raw
        do throws(SystemError) {
            _ = try check("inotify_add_watch", path) { inotify_add_watch(raw, path, events) }
            return true
        } catch {
            if error.errno == ENOENT { return false }
            throw error
        }
    }

    /// Watches a directory, and where it is not there its parents, up to one that is.
    ///
    /// There it is noticed when it is made. What is there may go, which its parent tells as well.
    package borrowing func addWithParents(_ path: String) throws(SystemError) {
        var place = path
        var isThere = try add(place)
        repeat {
            place = AtomicFile.split(place).directory
            isThere = try add(place) || isThere
        } while !isThere && place != "/"
    }

    /// Watches a file for what is written into it or becomes of it; one that is not there, or
    /// may not be watched, is not.
    ///
    /// A file that is a mount point shows nothing in the directory that it is mounted on.
    package borrowing func addFile(_ path: String) {
        let events = UInt32(IN_CLOSE_WRITE | IN_MODIFY | IN_DELETE_SELF | IN_MOVE_SELF)
        _ = inotify_add_watch(descriptor.raw, path, events)
    }

    /// Empties the queue; what has changed is to be read anew.
    package borrowing func drain() {
        let raw = descriptor.raw
        var buffer = [UInt8](repeating: 0, count: 16_384)
        while read(raw, &buffer, buffer.count) > 0 {}
    }
}
