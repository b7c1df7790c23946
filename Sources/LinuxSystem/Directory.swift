import CLinux
import Glibc

/// Directories by path.
package enum Directory {
    /// Makes a directory with `mode`, and its missing parents with 0755.
    ///
    /// One that is there already, or that another process makes meanwhile, stays as it is.
    package static func create(_ path: String, mode: UInt32) throws(SystemError) {
        do throws(SystemError) {
            try createOne(path, mode: mode)
        } catch {
            let parent = AtomicFile.split(path).directory
            guard error.errno == ENOENT, parent != path, parent != "." else { throw error }
            try create(parent, mode: 0o755)
            try createOne(path, mode: mode)
        }
    }

    private static func createOne(_ path: String, mode: UInt32) throws(SystemError) {
        if mkdir(path, mode) == 0 {
            // The umask may have taken bits away.
            chmod(path, mode)
            return
        }
        let failure = errno
        var status = stat()
        if failure == EEXIST, stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR {
            return
        }
        throw SystemError("mkdir", path, errno: failure)
    }

    /// The names in a directory, sorted; none where it is absent.
    package static func names(_ path: String) throws(SystemError) -> [String] {
        guard let stream = opendir(path) else {
            let failure = errno
            if failure == ENOENT { return [] }
            throw SystemError("opendir", path, errno: failure)
        }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { buffer in
                String(decoding: buffer.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names.sorted()
    }

    /// Removes a file; one that is not there is no error.
    package static func removeFile(_ path: String) throws(SystemError) {
        guard unlink(path) == -1 else { return }
        let failure = errno
        if failure != ENOENT, failure != ENOTDIR {
            throw SystemError("unlink", path, errno: failure)
        }
    }

    /// Gives what a path leads to, a symbolic link included, a second name; one of that name
    /// gives way.
    ///
    /// Corresponds to `link(2)`.
    package static func link(_ path: String, as other: String) throws(SystemError) {
        try removeFile(other)
        _ = try check("link", path) { Glibc.link(path, other) }
    }

    /// Moves a file over another; two names of one file become the second one.
    ///
    /// Corresponds to `rename(2)`.
    package static func move(_ path: String, over other: String) throws(SystemError) {
        _ = try check("rename", path) { rename(path, other) }
        // Where both are one file, rename does nothing at all (rename(2)).
        try removeFile(path)
    }

    /// Whether there is a directory of the name.
    package static func exists(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    /// Whether there is anything of the name, be it a symbolic link that leads nowhere.
    package static func holds(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0
    }

    /// Makes what was made, moved and removed in a directory outlast a power cut.
    ///
    /// Corresponds to `fsync(2)`.
    package static func sync(_ path: String) throws(SystemError) {
        let directory = try FileDescriptor.openDirectory(path)
        let raw = directory.raw
        _ = try check("fsync", path) { fsync(raw) }
    }

    /// Makes everything that was written to the file system of a directory outlast a power cut.
    ///
    /// Corresponds to `syncfs(2)`.
    package static func syncFileSystem(of path: String) throws(SystemError) {
        let directory = try FileDescriptor.openDirectory(path)
        let raw = directory.raw
        try checkShim("syncfs", path) { ut_file_system_sync(raw) }
    }

    /// Where a symbolic link points to.
    ///
    /// Corresponds to `readlink(2)`.
    package static func linkTarget(_ path: String) -> String? {
        var buffer = [UInt8](repeating: 0, count: 4096)
        let length = buffer.withUnsafeMutableBytes { bytes in
            bytes.assumingMemoryBound(to: CChar.self).baseAddress.map {
                readlink(path, $0, bytes.count)
            } ?? -1
        }
        return length < 0 ? nil : String(decoding: buffer.prefix(length), as: UTF8.self)
    }
}
