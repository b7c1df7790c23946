internal import Glibc
internal import LinuxSystem

/// The file that `export --output` makes.
enum ExportedFile {
    /// Throws what stands against writing there, before any secret is read.
    static func check(_ path: String, _ isReplacing: Bool) throws(Failure) {
        guard !path.isEmpty else {
            throw Failure(UsageError("--output: no file given", hint: "add --output FILE"))
        }
        var status = stat()
        guard lstat(path, &status) == 0 else { return }
        guard isReplacing else { throw exists(path) }
        // In the place of a device or a link there must not suddenly be a file with keys.
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw Failure(
                .refused, "fileExists",
                "\(path.shownInMessage) is not a regular file, and is not replaced")
        }
    }

    /// Writes the file, with its final mode from the first byte.
    static func write(_ bytes: [UInt8], to path: String, _ isReplacing: Bool) throws(Failure) {
        do throws(SystemError) {
            if isReplacing {
                try AtomicFile.replace(path, with: bytes, mode: 0o600)
            } else {
                try AtomicFile.create(path, with: bytes, mode: 0o600)
            }
        } catch {
            throw error.errno == EEXIST ? exists(path) : Failure(error)
        }
    }

    /// Whether wg-quick can make an interface of the file's name.
    static func isTakenByQuick(_ path: String) -> Bool {
        let name = AtomicFile.split(path).name
        let stem = name.dropLast(5).utf8
        return name.hasSuffix(".conf") && (1...15).contains(stem.count)
            && stem.allSatisfy { byte in
                switch byte {
                case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
                default: "_=+.-".utf8.contains(byte)
                }
            }
    }

    private static func exists(_ path: String) -> Failure {
        Failure(
            .refused, "fileExists", "\(path.shownInMessage) is there already",
            hint: "--replace puts the new one in its place")
    }
}
