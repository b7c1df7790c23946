package import Glibc

/// An open file, closed when its owner goes.
package struct FileDescriptor: ~Copyable {
    package let raw: CInt

    /// Takes over an open descriptor.
    package init(taking raw: CInt) {
        self.raw = raw
    }

    deinit {
        // Never repeated: on Linux the descriptor is gone even after EINTR.
        _ = Glibc.close(raw)
    }

    /// Gives the number away; the taker closes it.
    package consuming func release() -> CInt {
        let raw = raw
        discard self
        return raw
    }

    /// Opens a file, close-on-exec.
    ///
    /// Corresponds to `openat(2)`.
    package static func open(
        _ path: String,
        _ flags: CInt,
        mode: mode_t = 0,
        in directory: CInt = AT_FDCWD,
        calling subject: String? = nil
    ) throws(SystemError) -> FileDescriptor {
        let raw = try check("open", subject ?? path) {
            path.withCString { Glibc.openat(directory, $0, flags | O_CLOEXEC, mode) }
        }
        return FileDescriptor(taking: raw)
    }

    /// Opens a directory as a place to work in.
    package static func openDirectory(_ path: String) throws(SystemError) -> FileDescriptor {
        try open(path, O_RDONLY | O_DIRECTORY)
    }

    /// A second descriptor of the same open file.
    ///
    /// Corresponds to `fcntl(F_DUPFD_CLOEXEC)`.
    package borrowing func duplicate() throws(SystemError) -> FileDescriptor {
        let raw = raw
        return FileDescriptor(taking: try check("dup") { fcntl(raw, F_DUPFD_CLOEXEC, 3) })
    }

    /// Owner, mode, size and times.
    ///
    /// Corresponds to `fstat(2)`.
    package borrowing func status(_ subject: String = "") throws(SystemError) -> stat {
        var status = stat()
        let raw = raw
        _ = try check("fstat", subject) { fstat(raw, &status) }
        return status
    }

    /// Whether a path leads to this very file: the same inode of the same device.
    package borrowing func isAt(_ path: String) throws(SystemError) -> Bool {
        let own = try status(path)
        var found = stat()
        guard stat(path, &found) == 0 else { return false }
        return own.st_dev == found.st_dev && own.st_ino == found.st_ino
    }

    /// Reads at most `count` bytes; none at the end.
    ///
    /// Corresponds to `read(2)`.
    package borrowing func read(atMost count: Int) throws(SystemError) -> [UInt8] {
        let raw = raw
        return try [UInt8](from: "read", capacity: count) { room in
            let length = Glibc.read(raw, room, count)
            return length == -1 ? Int(-errno) : length
        }
    }

    /// Reads up to the end, but no more than `limit` bytes (EFBIG).
    package borrowing func readAll(limit: Int, _ subject: String = "") throws(SystemError)
        -> [UInt8]
    {
        var bytes: [UInt8] = []
        while true {
            let part = try read(atMost: 65_536)
            if part.isEmpty { return bytes }
            bytes += part
            if bytes.count > limit { throw SystemError("read", subject, errno: EFBIG) }
        }
    }

    /// Writes all bytes, in as many calls as it takes.
    ///
    /// Corresponds to `write(2)`.
    package borrowing func write(_ bytes: some Collection<UInt8>, _ subject: String = "")
        throws(SystemError)
    {
        let raw = raw
        let bytes = Array(bytes)
        var written = 0
        while written < bytes.count {
            let start = written
            written += try check("write", subject) {
                bytes.withUnsafeBytes { buffer in
                    Glibc.write(raw, buffer.baseAddress.map { $0 + start }, buffer.count - start)
                }
            }
        }
    }
}

/// Writes to standard output or error, of which nobody is the owner.
package func writeToStandard(_ raw: CInt, _ bytes: [UInt8]) throws(SystemError) {
    let descriptor = FileDescriptor(taking: raw)
    do throws(SystemError) {
        try descriptor.write(bytes)
        _ = descriptor.release()
    } catch {
        _ = descriptor.release()
        throw error
    }
}

/// Fills the places of standard input, output and error that nobody has opened: a file of ours
/// that got there would be written to by what is said.
package func occupyStandardDescriptors() {
    // Reading and writing fail as they would have: only what is said beside the answer is lost.
    let places = [
        (STDIN_FILENO, O_WRONLY), (STDOUT_FILENO, O_RDONLY), (STDERR_FILENO, O_WRONLY),
    ]
    for (raw, flags) in places where fcntl(raw, F_GETFD) == -1 {
        // The lowest that is free, which is this one.
        _ = open("/dev/null", flags)
    }
}

/// Whether standard error is the very file that a path leads to.
package func standardErrorIs(_ path: String) -> Bool {
    let descriptor = FileDescriptor(taking: STDERR_FILENO)
    let answer = try? descriptor.isAt(path)
    _ = descriptor.release()
    return answer ?? false
}

/// Reads standard input, of which nobody is the owner, up to its end.
package func readStandardInput(limit: Int) throws(SystemError) -> [UInt8] {
    let descriptor = FileDescriptor(taking: STDIN_FILENO)
    do throws(SystemError) {
        let bytes = try descriptor.readAll(limit: limit, "standard input")
        _ = descriptor.release()
        return bytes
    } catch {
        _ = descriptor.release()
        throw error
    }
}
