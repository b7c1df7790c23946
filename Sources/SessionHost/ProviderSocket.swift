internal import Glibc
internal import LinuxSystem
internal import TunnelModel

/// The socket at which programs of a provider's protocol look for it, such as wg(8) does.
///
/// The host makes it, as its directory belongs to root, and the provider listens. It may be in
/// nobody's way and is no condition of a tunnel: what is in its own way is told and left alone.
final class ProviderSocket {
    /// The directory's mode, where it is not there yet: that of other programs of its kind.
    private static let directoryMode: UInt32 = 0o700

    let file: SocketFile
    private let listener: FileDescriptorBox

    /// Listens at a path; a socket at which nobody listens any more is replaced.
    ///
    /// - Throws: The warning that the status is to show.
    init(at path: String) throws(TunnelWarning) {
        let (directory, name) = AtomicFile.split(path)
        do throws(SystemError) { try Directory.create(directory, mode: Self.directoryMode) } catch {
            throw Self.missing(path, error.text)
        }
        if let problem = TrustedFile.problem(ofDirectory: directory) {
            throw Self.missing(path, "\(directory): \(problem)")
        }
        switch SocketFile.look(at: path) {
        case .nothing: break
        case .stale(let file): _ = try? file.remove()
        case .living: throw Self.taken(path, "another program listens there")
        case .other: throw Self.taken(path, "something else is there")
        }
        do throws(SystemError) {
            let place = try FileDescriptor.openDirectory(directory)
            listener = FileDescriptorBox(
                try UnixSocket.listen(at: name, in: place, mode: 0o600))
            file = try SocketFile(at: path)
        } catch {
            throw error.errno == EADDRINUSE
                ? Self.taken(path, "another program was faster") : Self.missing(path, error.text)
        }
    }

    /// The listening socket, for the provider to inherit; `nil` once it has been handed over.
    var raw: CInt? { listener.raw }

    /// Closes the host's own copy: with the provider nobody listens any more.
    func handOver() { _ = listener.take() }

    private static func taken(_ path: String, _ problem: String) -> TunnelWarning {
        TunnelWarning(.controlSocketTaken, "\(path) was left alone: \(problem)")
    }

    private static func missing(_ path: String, _ problem: String) -> TunnelWarning {
        TunnelWarning(.controlSocketMissing, "\(path) could not be made: \(problem)")
    }
}
