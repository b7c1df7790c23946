import Glibc
import LinuxSystem

/// Serves `wg` at the socket that the host has made: what is asked is told, and nothing is set.
///
/// Settings come from the preferences alone; whatever else changed the tunnel would make them lie.
final class UserspaceInterface {
    /// More clients at a time than people and monitors need.
    private static let mostClients = 16

    private let listener: FileDescriptor
    private let loop: EventLoop
    private let report: () -> String
    private var clients: [CInt: UserspaceClient] = [:]

    /// Listens from now on; `report` answers `get=1`.
    init(
        _ listener: consuming FileDescriptor, on loop: EventLoop, _ report: @escaping () -> String
    ) throws(SystemError) {
        self.listener = listener
        self.loop = loop
        self.report = report
        try loop.add(self.listener.raw) { [unowned self] _ in accept() }
    }

    deinit {
        loop.remove(listener.raw)
    }

    private func accept() {
        guard let socket = try? UnixSocket.accept(on: listener) else { return }
        let number = socket.raw
        guard clients.count < Self.mostClients,
            let client = try? UserspaceClient(socket, on: loop, report)
        else { return }
        client.onEnd = { [unowned self] in
            // It is in the middle of its own handler.
            loop.schedule(milliseconds: 0) { [weak self] in self?.clients[number] = nil }
        }
        clients[number] = client
    }
}
