internal import Glibc
internal import LinuxSystem
internal import Preferences
internal import SessionHost

/// A start that waits, at a socket of its own, for the session host that its unit starts.
///
/// The request is in no file: it goes with whoever asks, and no later start ever meets it.
final class AwaitedStart {
    private static let suffix = ".request"

    private let path: String
    private let listener: FileDescriptor

    /// Begins to wait; the socket is root's alone, and goes when this goes.
    init(_ directory: SessionDirectory, attempt: String) throws(SystemError) {
        let name = "\(directory.identifier).\(attempt)\(Self.suffix)"
        path = "\(directory.layout.runtimeDirectory)/\(name)"
        let place = try FileDescriptor.openDirectory(directory.layout.runtimeDirectory)
        listener = try UnixSocket.listen(at: name, in: place, mode: 0o600)
    }

    deinit {
        try? Directory.removeFile(path)
    }

    /// The session host, as soon as it comes.
    func host(until deadline: Deadline) throws(SystemError) -> LineClient? {
        guard try !LineClient.wait(for: [(listener.raw, .readable)], until: deadline).isEmpty,
            let connection = try UnixSocket.accept(on: listener)
        else { return nil }
        return LineClient(connection)
    }

    /// All that wait for the session of a configuration; sockets of those who are gone go too.
    static func all(for directory: SessionDirectory) -> [LineClient] {
        let runtime = directory.layout.runtimeDirectory
        guard let place = try? FileDescriptor.openDirectory(runtime),
            let names = try? Directory.names(runtime)
        else { return [] }
        var found: [LineClient] = []
        for name in names
        where name.hasPrefix("\(directory.identifier).") && name.hasSuffix(suffix) {
            do throws(SystemError) {
                found.append(LineClient(try UnixSocket.connect(to: name, in: place)))
            } catch {
                if error.errno == ECONNREFUSED { try? Directory.removeFile("\(runtime)/\(name)") }
            }
        }
        return found
    }
}
