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
        /// The group may look; to stop takes what it took to start.
        let isPrivileged: Bool
        fileprivate(set) var isSubscriber = false
        fileprivate(set) var awaitsEnd = false
        fileprivate var rate = RateLimiter(perSecond: ControlServer.mostQuestions)

        fileprivate init(_ channel: LineChannel, _ peer: UnixSocket.Peer) {
            self.channel = channel
            isPrivileged = peer.uid == 0 || peer.uid == Account.effectiveUser
        }

        /// Answers.
        func send(_ reply: ControlReply) {
            channel.send(JSONWriter.line(reply))
        }
    }

    /// More connections than any number of people and scripts has.
    ///
    /// Those who may only look have their own number, and cannot shut out those who may stop.
    private static let mostClients = 256
    /// How long to wait where a connection could not be taken for want of descriptors.
    private static let pauseMilliseconds: Int64 = 100
    private static let longestRequest = 65_536
    /// How much of a second's questions one onlooker may have answered, and all together.
    private static let mostQuestions = 20
    private static let mostQuestionsOfAll = 1000
    /// How many connections are taken before everything else has its turn.
    private static let connectionsPerTurn = 16

    var onStatus: (Client, _ networkNamespace: String) -> Void = { _, _ in }
    var onStop: (DisconnectReason) -> Void = { _ in }
    var onPause: (Client, _ seconds: UInt32) -> Void = { _, _ in }
    var onReload: (Client) -> Void = { _ in }
    var onConnect: (Client, SessionOrigin) -> Void = { _, _ in }
    var onSleep: () -> Void = {}
    var onWake: () -> Void = {}
    /// The transitions that a new subscriber has missed.
    var history: () -> [SessionTransition] = { [] }

    private let loop: EventLoop
    private let listener: FileDescriptor
    private var clients: [ObjectIdentifier: Client] = [:]
    private var onlookers = RateLimiter(perSecond: ControlServer.mostQuestionsOfAll)

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
            for _ in 0..<Self.connectionsPerTurn {
                guard let socket = try UnixSocket.accept(on: listener) else { return }
                let peer = try UnixSocket.peer(of: socket)
                let channel = try LineChannel(
                    socket, on: loop, longestLine: Self.longestRequest)
                let client = Client(channel, peer)
                let alike = clients.values.count { $0.isPrivileged == client.isPrivileged }
                guard alike < Self.mostClients else { continue }
                let key = ObjectIdentifier(client)
                clients[key] = client
                channel.onLine = { [weak self, weak client] line in
                    if let client { self?.handle(line, from: client) }
                }
                channel.onEnd = { [weak self] _ in self?.clients[key] = nil }
            }
        } catch {
            // Out of descriptors or memory: whoever connected waits, the tunnel goes on. The
            // listener stays readable, which without a pause would be told again and again.
            pause()
        }
    }

    // It is in the middle of its own line: it goes when the loop comes round.
    private func drop(_ client: Client) {
        client.channel.close()
        loop.schedule(milliseconds: 0) { [weak self] in
            self?.clients[ObjectIdentifier(client)] = nil
        }
    }

    private func pause() {
        try? loop.change(listener.raw, to: [])
        loop.schedule(milliseconds: Self.pauseMilliseconds) { [weak self] in
            guard let self else { return }
            try? self.loop.change(self.listener.raw, to: .readable)
        }
    }

    private func handle(_ line: [UInt8], from client: Client) {
        guard client.isPrivileged || (client.rate.admits() && onlookers.admits()) else {
            return drop(client)
        }
        let request: ControlRequest
        do throws(JSONError) { request = try ControlRequest(line: line) } catch {
            return client.send(.refused(text: error.text))
        }
        switch request {
        case .status(let networkNamespace): onStatus(client, networkNamespace)
        case .subscribe:
            client.isSubscriber = true
            for transition in history() { client.send(.transition(transition)) }
        case .pause(let seconds):
            guard client.isPrivileged else {
                return client.send(.refused(text: "only root may lift the block"))
            }
            onPause(client, seconds)
        case .reload:
            guard client.isPrivileged else {
                return client.send(.refused(text: "only root may change this tunnel"))
            }
            onReload(client)
        case .connect(let origin):
            guard client.isPrivileged else {
                return client.send(.refused(text: "only root may have this tunnel connect"))
            }
            onConnect(client, origin)
        case .sleep, .wake:
            guard client.isPrivileged else {
                return client.send(.refused(text: "only root may say that the system sleeps"))
            }
            if request == .sleep { onSleep() } else { onWake() }
            client.send(.told)
        case .stop(let reason):
            guard client.isPrivileged else {
                return client.send(.refused(text: "only root may stop this tunnel"))
            }
            client.awaitsEnd = true
            onStop(reason)
        }
    }
}
