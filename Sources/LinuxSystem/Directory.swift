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
        if failure != ENOENT { throw SystemError("unlink", path, errno: failure) }
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
