internal import Glibc
internal import LinuxSystem
internal import Preferences

/// The bytes of the file that is enrolled, and whether others can read it.
struct EnrolmentSource {
    /// No file of any format comes near this.
    private static let largest = 16 << 20

    let bytes: [UInt8]
    /// What is to be said of its mode, where it holds secrets.
    let laxMode: String?

    /// Reads a file, or standard input where the path is `-`.
    init(_ path: String) throws(Failure) {
        do throws(SystemError) {
            guard path != "-" else {
                bytes = try readStandardInput(limit: Self.largest)
                laxMode = nil
                return
            }
            let file = try FileDescriptor.open(path, O_RDONLY | O_NOCTTY)
            let status = try file.status(path)
            guard status.st_mode & S_IFMT != S_IFDIR else {
                throw SystemError("read", path, errno: EISDIR)
            }
            bytes = try file.readAll(limit: Self.largest, path)
            let mode = status.st_mode & 0o7777
            let isLax = status.st_mode & S_IFMT == S_IFREG && mode & 0o044 != 0
            laxMode =
                isLax
                ? "mode 0\(String(mode, radix: 8)) of the file lets others read the keys in it"
                : nil
        } catch {
            throw Self.failure(error, path)
        }
    }

    private static func failure(_ error: SystemError, _ path: String) -> Failure {
        if error.errno == EFBIG {
            return Failure(
                .refused, "fileInvalid",
                "more than \(largest >> 20) MiB: nothing that can be enrolled")
        }
        let failure = Failure(error)
        guard error.errno == EACCES, let blocking = TrustedFile.blockingComponent(of: path) else {
            return failure
        }
        return Failure(
            failure.exitStatus, failure.code, "\(failure.text): \(blocking) may not be searched",
            hint: failure.hint)
    }
}
