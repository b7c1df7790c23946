internal import Glibc
internal import JSON
internal import LinuxSystem
internal import Preferences
internal import TunnelModel

/// The control socket of a session host and everyone connected to it.
final class ControlServer {
    /// One connection.
    final class Client {
        let channel: LineChannel
        let peer: UnixSocket.Peer
        fileprivate(set) var isSubscriber = false
        fileprivate(set) var awaitsEnd = false

        fileprivate init(_ channel: LineChannel, _ peer: UnixSocket.Peer) {
            self.channel = channel
            self.peer = peer
        }

        /// Answers.
        func send(_ reply: ControlReply) {
            channel.send(JSONWriter.line(reply))
        }
    }

    /// More connections than any number of people and scripts has.
    private static let mostClients = 256
    private static let longestRequest = 65_536

    var onStatus: (Client, _ networkNamespace: String) -> Void = { _, _ in }
    var onStop: (DisconnectReason) -> Void = { _ in }
    /// The transitions that a new subscriber has missed.
    var history: () -> [SessionTransition] = { [] }

    private let loop: EventLoop
    private let listener: FileDescriptor
    private var clients: [ObjectIdentifier: Client] = [:]

    /// Listens; a socket that a dead host left is replaced, as the lock is ours.
    init(_ directory: SessionDirectory, on loop: EventLoop) throws(SystemError) {
        let group = Account.group(named: "utunctl")
        let place = try FileDescriptor.openDirectory(directory.layout.runtimeDirectory)
        try Directory.removeFile("\(directory.layout.runtimeDirectory)/\(directory.socketName)")
        listener = try UnixSocket.listen(
            at: directory.socketName, in: place, mode: group == nil ? 0o600 : 0o660)
        if let group { _ = fchownat(place.raw, directory.socketName, uid_t.max, group, 0) }
        self.loop = loop
        try loop.add(listener.raw) { [weak self] _ in self?.accept() }
    }

    deinit {
        loop.remove(listener.raw)
    }

    /// Tells every subscriber.
    func publish(_ transition: SessionTransition) {
        for client in clients.values where client.isSubscriber {
            client.send(.transition(transition))
        }
    }

    /// Tells everyone who waits for it that the session has ended.
    func publishEnd(_ disconnect: Disconnect, forced: Bool) {
        for client in clients.values where client.isSubscriber || client.awaitsEnd {
            client.send(.ended(disconnect, forced: forced))
        }
    }

    private func accept() {
        do throws(SystemError) {
            while let socket = try UnixSocket.accept(on: listener) {
                guard clients.count < Self.mostClients else { continue }
                let peer = try UnixSocket.peer(of: socket)
                let channel = try LineChannel(
                    socket, on: loop, longestLine: Self.longestRequest)
                let client = Client(channel, peer)
                let key = ObjectIdentifier(client)
                clients[key] = client
                channel.onLine = { [weak self, weak client] line in
                    if let client { self?.handle(line, from: client) }
                }
                channel.onEnd = { [weak self] _ in self?.clients[key] = nil }
            }
        } catch {
            // Out of descriptors or memory: whoever connected is not served, the tunnel goes on.
        }
    }

    private func handle(_ line: [UInt8], from client: Client) {
        let request: ControlRequest
        do throws(JSONError) { request = try ControlRequest(line: line) } catch {
            return client.send(.refused(text: error.text))
        }
        switch request {
        case .status(let networkNamespace): onStatus(client, networkNamespace)
        case .subscribe:
            client.isSubscriber = true
            for transition in history() { client.send(.transition(transition)) }
        case .stop(let reason):
            // The group may look; to stop takes what it took to start.
            guard client.peer.uid == 0 || client.peer.uid == Account.effectiveUser else {
                return client.send(.refused(text: "only root may stop this tunnel"))
            }
            client.awaitsEnd = true
            onStop(reason)
        }
    }
}
