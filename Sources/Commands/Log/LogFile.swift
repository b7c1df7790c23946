internal import Glibc
internal import LinuxSystem

/// A file that others write to, read as it grows, however often it is emptied or replaced.
final class LogFile {
    /// The code of the failure that this user may not read it.
    static let forbiddenCode = "logForbidden"

    private let path: String
    private var file: FileDescriptor?
    private var buffer: [UInt8] = []

    init(_ path: String) {
        self.path = path
    }

    /// The lines that have come since the last call; one that has no end yet comes with it, or
    /// with `isLast` as it is.
    func lines(isLast: Bool = false) throws(Failure) -> [String] {
        var lines: [String] = []
        do throws(SystemError) {
            if file != nil { lines += try read() }
            if try isReplaced() {
                lines += takeRest()
                file = try open()
                if file != nil { lines += try read() }
            }
        } catch {
            throw Self.failure(error)
        }
        if isLast { lines += takeRest() }
        return lines
    }

    private func open() throws(SystemError) -> FileDescriptor? {
        do throws(SystemError) {
            return try FileDescriptor.open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY)
        } catch {
            if error.errno == ENOENT { return nil }
            throw error
        }
    }

    private func isReplaced() throws(SystemError) -> Bool {
        guard file != nil else { return true }
        return try file?.isAt(path) == false
    }

    private func read() throws(SystemError) -> [String] {
        guard let raw = file?.raw, let size = try file?.status(path).st_size else { return [] }
        // Emptied since: what it holds now is new from its beginning.
        if lseek(raw, 0, SEEK_CUR) > size {
            buffer = []
            lseek(raw, 0, SEEK_SET)
        }
        while let bytes = try file?.read(atMost: 65_536), !bytes.isEmpty { buffer += bytes }
        var parts = buffer.split(
            separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        buffer = Array(parts.popLast() ?? [])
        return parts.map { String(decoding: $0, as: UTF8.self) }
    }

    private func takeRest() -> [String] {
        defer { buffer = [] }
        return buffer.isEmpty ? [] : [String(decoding: buffer, as: UTF8.self)]
    }

    private static func failure(_ error: SystemError) -> Failure {
        guard error.errno == EACCES || error.errno == EPERM else { return Failure(error) }
        return Failure(
            .notPossible, forbiddenCode, "\(error.text): a log is for root alone",
            hint: "run as root")
    }
}
