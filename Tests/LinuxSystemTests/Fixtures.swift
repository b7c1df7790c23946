import Glibc
import LinuxSystem
import Testing

/// A directory that goes, with everything in it, when its owner goes.
final class TemporaryDirectory {
    let path: String

    init() throws {
        let base = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        let random = Random.bytes(8).map { String($0, radix: 16) }.joined()
        path = "\(base)/LinuxSystemTests.\(random)"
        try Directory.create(path, mode: 0o755)
    }

    deinit { Self.remove(path) }

    /// The path of a file in the directory.
    func file(_ name: String) -> String { "\(path)/\(name)" }

    /// Writes a file in the directory and answers its path.
    func write(_ name: String, _ text: String, mode: mode_t = 0o644) throws -> String {
        let file = try FileDescriptor.open(
            file(name), O_WRONLY | O_CREAT | O_TRUNC, mode: 0o600)
        try file.write(Array(text.utf8))
        fchmod(file.raw, mode)
        return self.file(name)
    }

    private static func remove(_ path: String) {
        if unlink(path) == 0 { return }
        for name in (try? Directory.names(path)) ?? [] { remove("\(path)/\(name)") }
        rmdir(path)
    }
}

/// Files as the tests look at them.
enum Files {
    /// The text of a file.
    static func text(_ path: String) throws -> String {
        let bytes = try FileDescriptor.open(path, O_RDONLY).readAll(limit: 1 << 24)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// What a path itself names, be it a link; `nil` for nothing.
    static func status(_ path: String) -> stat? {
        var status = stat()
        return lstat(path, &status) == 0 ? status : nil
    }

    /// The permission bits of a file.
    static func mode(_ path: String) -> mode_t? {
        status(path).map { $0.st_mode & 0o7777 }
    }
}

/// Two connected stream sockets as bare numbers: the caller closes them.
func socketPair() throws -> (CInt, CInt) {
    var raw: [CInt] = [-1, -1]
    let type = CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue)
    guard socketpair(AF_UNIX, type, 0, &raw) == 0 else {
        throw SystemError("socketpair", errno: errno)
    }
    return (raw[0], raw[1])
}

/// A pipe as bare numbers, reading end first: the caller closes them.
///
/// Reading does not block, so that a writer that was forgotten is a failure and no hang.
func rawPipe() throws -> (CInt, CInt) {
    var raw: [CInt] = [-1, -1]
    guard pipe(&raw) == 0 else { throw SystemError("pipe", errno: errno) }
    for descriptor in raw { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
    _ = fcntl(raw[0], F_SETFL, O_NONBLOCK)
    return (raw[0], raw[1])
}

extension EventLoop {
    /// Runs until `stop` is called; after too long a time that is an issue.
    func runBriefly(
        milliseconds: Int64 = 20_000,
        _ location: SourceLocation = #_sourceLocation
    ) throws {
        let guardian = schedule(milliseconds: milliseconds) { [unowned self] in
            Issue.record("nothing ended the loop", sourceLocation: location)
            stop()
        }
        try run()
        cancel(guardian)
    }
}
