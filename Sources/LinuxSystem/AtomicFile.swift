import Glibc

/// Replaces files so that a reader, a crash or a power cut meets the old or the new one.
package enum AtomicFile {
    /// How many random bytes tell the temporary files of one name apart.
    private static let randomByteCount = 6

    /// Writes a file by way of a temporary one in the same directory.
    ///
    /// The temporary file has its final mode from the first byte; it is synced, renamed,
    /// and the directory is synced, so that the file is durable when this returns. A
    /// symbolic link is replaced itself, or with `followsLink` stays one, and what it points
    /// to is replaced.
    ///
    /// Files that go at reboot need not be durable: then the syncs are left out.
    package static func replace(
        _ path: String,
        with bytes: [UInt8],
        mode: UInt32,
        group: UInt32? = nil,
        isDurable: Bool = true,
        followsLink: Bool = false
    ) throws(SystemError) {
        let target = followsLink ? try destination(of: path) : path
        let (directoryPath, name) = split(target)
        let directory = try FileDescriptor.openDirectory(directoryPath)
        let temporary = temporaryName(of: name)
        let place = directory.raw
        do throws(SystemError) {
            try write(
                bytes, as: temporary, in: place, mode: mode, group: group, isDurable: isDurable,
                calling: target)
            _ = try check("rename", target) { renameat(place, temporary, place, name) }
        } catch {
            unlinkat(place, temporary, 0)
            throw error
        }
        if isDurable { _ = try check("fsync", directoryPath) { fsync(place) } }
    }

    /// Writes a file under a name of its own, with its final mode from the first byte.
    static func write(
        _ bytes: [UInt8],
        as temporary: String,
        in directory: CInt,
        mode: UInt32,
        group: UInt32?,
        isDurable: Bool,
        calling subject: String
    ) throws(SystemError) {
        let file = try FileDescriptor.open(
            temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode: 0o600, in: directory,
            calling: subject)
        try file.setAccess(mode: mode, group: group, subject)
        try file.write(bytes, subject)
        let raw = file.raw
        if isDurable { _ = try check("fsync", subject) { fsync(raw) } }
    }

    /// Removes the temporary files of writers that were killed.
    ///
    /// Only for a directory in which nobody else writes at the time.
    package static func removeTemporaries(in directory: String) throws(SystemError) {
        for name in try Directory.names(directory) where isTemporary(name) {
            try Directory.removeFile("\(directory)/\(name)")
        }
    }

    /// Removes the temporary files that killed writers of one file have left beside it.
    ///
    /// Only where nobody else writes that file in this way.
    package static func removeTemporaries(of path: String) throws(SystemError) {
        let (directory, name) = split(path)
        for other in try Directory.names(directory)
        where other.hasPrefix(".\(name).") && isTemporary(other) {
            try Directory.removeFile("\(directory)/\(other)")
        }
    }

    private static func isTemporary(_ name: String) -> Bool {
        let parts = name.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count >= 3, parts.first?.isEmpty == true, let digits = parts.last else {
            return false
        }
        return digits.count == 2 * randomByteCount
            && digits.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
    }

    /// The directory and the last component of a path.
    package static func split(_ path: String) -> (directory: String, name: String) {
        // By bytes: a slash with a combining character behind it is another Character.
        let bytes = path.utf8
        guard let slash = bytes.lastIndex(of: UInt8(ascii: "/")) else { return (".", path) }
        let directory = slash == bytes.startIndex ? "/" : String(path[..<slash])
        return (directory, String(path[bytes.index(after: slash)...]))
    }

    /// What is replaced under a path: the file itself, or what a symbolic link points to.
    package static func destination(of path: String) throws(SystemError) -> String {
        var status = stat()
        guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFLNK else { return path }
        guard let resolved = realpath(path, nil) else {
            throw SystemError("realpath", path, errno: errno)
        }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    /// A name beside a file that nobody has.
    static func temporaryName(of name: String) -> String {
        ".\(name).\(hexadecimal(Random.bytes(randomByteCount)))"
    }

    private static func hexadecimal(_ bytes: [UInt8]) -> String {
        bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }
}
