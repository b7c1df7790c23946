import Glibc

/// The file of a unix socket: which one it is, and whether somebody listens at it.
package struct SocketFile: Equatable, Sendable {
    package let path: String
    package let device: UInt64
    package let inode: UInt64

    package init(path: String, device: UInt64, inode: UInt64) {
        self.path = path
        self.device = device
        self.inode = inode
    }

    /// What there is at a path now, symbolic links not followed.
    ///
    /// Corresponds to `lstat(2)`.
    package init(at path: String) throws(SystemError) {
        var status = stat()
        _ = try check("lstat", path) { lstat(path, &status) }
        self.init(path: path, device: UInt64(status.st_dev), inode: UInt64(status.st_ino))
    }

    /// What is at a path.
    package enum Finding: Equatable, Sendable {
        case nothing
        /// Something that is no socket.
        case other
        /// A socket at which nobody listens any more.
        case stale(SocketFile)
        /// A socket of somebody who lives.
        case living(SocketFile)
    }

    /// Looks what is at a path.
    package static func look(at path: String) -> Finding {
        var status = stat()
        guard lstat(path, &status) == 0 else { return .nothing }
        guard status.st_mode & S_IFMT == S_IFSOCK else { return .other }
        let file = SocketFile(
            path: path, device: UInt64(status.st_dev), inode: UInt64(status.st_ino))
        let (directory, name) = AtomicFile.split(path)
        do throws(SystemError) {
            let place = try FileDescriptor.openDirectory(directory)
            _ = try UnixSocket.connect(to: name, in: place)
            return .living(file)
        } catch {
            switch error.errno {
            case ECONNREFUSED: return .stale(file)
            case ENOENT: return .nothing
            // A full queue is somebody's, and so is what may not be asked.
            default: return .living(file)
            }
        }
    }

    /// Removes the file, unless something else is at its path by now; answers whether it did.
    @discardableResult
    package func remove() throws(SystemError) -> Bool {
        var status = stat()
        guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK,
            UInt64(status.st_dev) == device, UInt64(status.st_ino) == inode
        else { return false }
        try Directory.removeFile(path)
        return true
    }
}
