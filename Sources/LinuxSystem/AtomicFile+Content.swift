import Glibc

// Files of others, of which nothing is to change but what they hold.

extension AtomicFile {
    /// Gives a file another content; its owner and mode stay, and so do symbolic links to it.
    ///
    /// A file that is not there is made, for everybody to read. One that cannot be replaced,
    /// because it is a mount point or in a directory that cannot be written to, is written in
    /// place.
    package static func setContent(of path: String, to bytes: [UInt8]) throws(SystemError) {
        let target = try farEnd(of: path)
        let (directoryPath, name) = split(target)
        let directory = try FileDescriptor.openDirectory(directoryPath)
        let temporary = temporaryName(of: name)
        let place = directory.raw
        var former = stat()
        let exists = fstatat(place, name, &former, 0) == 0
        do throws(SystemError) {
            let file = try FileDescriptor.open(
                temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode: 0o600, in: place,
                calling: target)
            let raw = file.raw
            if exists {
                _ = try check("fchown", target) { fchown(raw, former.st_uid, former.st_gid) }
            }
            let mode = exists ? former.st_mode & 0o7777 : 0o644
            _ = try check("fchmod", target) { fchmod(raw, mode) }
            try file.write(bytes, target)
            _ = try check("fsync", target) { fsync(raw) }
            _ = try check("rename", target) { renameat(place, temporary, place, name) }
            _ = try check("fsync", directoryPath) { fsync(place) }
        } catch {
            unlinkat(place, temporary, 0)
            guard exists, [EBUSY, EXDEV, EROFS].contains(error.errno) else { throw error }
            try overwrite(target, with: bytes)
        }
    }

    /// Writes a file in place: first what it is to hold, then its end, so that nobody finds it
    /// empty.
    private static func overwrite(_ path: String, with bytes: [UInt8]) throws(SystemError) {
        let file = try FileDescriptor.open(path, O_WRONLY)
        try file.write(bytes, path)
        let raw = file.raw
        _ = try check("ftruncate", path) { ftruncate(raw, bytes.count) }
        _ = try check("fsync", path) { fsync(raw) }
    }

    /// Where symbolic links lead to in the end, be there something or not.
    package static func farEnd(of path: String) throws(SystemError) -> String {
        var path = path
        for _ in 0..<40 {
            if let resolved = realpath(path, nil) {
                defer { free(resolved) }
                return String(cString: resolved)
            }
            let failure = errno
            guard failure == ENOENT else { throw SystemError("realpath", path, errno: failure) }
            guard let next = Directory.linkTarget(path) else { return path }
            path = next.hasPrefix("/") ? next : "\(split(path).directory)/\(next)"
        }
        throw SystemError("realpath", path, errno: ELOOP)
    }
}
