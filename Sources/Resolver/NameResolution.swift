internal import JSON
internal import LinuxSystem
internal import TunnelModel

/// Answers one request: by literals, then by the hosts file, then by the name servers.
final class NameResolution {
    /// How many names are asked for at once: the questions about a thousand would be more than
    /// the queues of sockets and servers hold, and those that are lost are waited for.
    private static let mostUnderWay = 32

    private let request: ResolverRequest
    private let host: LineClient
    private let loop: EventLoop
    private var servers: NameServers?
    private var open: Set<String> = []
    /// The names that are not asked for yet, the next one last.
    private var waiting: [String] = []
    private var failure: SystemError?

    /// A resolution whose replies go to `host`.
    init(_ request: ResolverRequest, host: LineClient, on loop: EventLoop) {
        self.request = request
        self.host = host
        self.loop = loop
    }

    /// Works until each name has its reply, the time is over, or the host is gone.
    func run() throws(SystemError) {
        open = Set(request.names)
        resolveLiterals()
        resolveByHosts()
        askServers()
        if !open.isEmpty, failure == nil {
            try loop.add(host.raw, []) { [unowned self] _ in loop.stop() }
            try loop.run()
        }
        if let failure { throw failure }
    }

    private func resolveLiterals() {
        for name in open.sorted() {
            guard let address = IPAddress(name) else { continue }
            finish(.resolved(name: name, addresses: [address]))
        }
    }

    private func resolveByHosts() {
        guard let number = request.hosts, let raw = CInt(exactly: number), raw > 3 else { return }
        // A file that cannot be read knows no names.
        let file = FileDescriptor(taking: raw)
        guard let text = try? file.readAll(limit: HostsFile.longest, "hosts") else { return }
        let found = HostsFile.addresses(of: open.sorted(), in: text)
        for (name, addresses) in found.sorted(by: { $0.key < $1.key }) {
            if let reply = ResolverReply(name, found: addresses) { finish(reply) }
        }
    }

    private func askServers() {
        for name in open.sorted() where !Self.isHostName(name) {
            finish(.failed(name: name, text: "not a host name"))
        }
        guard !open.isEmpty else { return }
        guard !request.servers.isEmpty else { return failAll("no resolver is configured") }
        servers = NameServers(request, on: loop)
        guard let servers else { return failAll("out of memory") }
        loop.schedule(milliseconds: Int64(request.timeout)) { [unowned self] in
            waiting = []
            servers.giveUp()
            failAll("no answer from \(servers.names)")
        }
        waiting = open.sorted(by: >)
        for _ in 0..<Self.mostUnderWay { askForNext() }
    }

    private func askForNext() {
        guard let name = waiting.popLast() else { return }
        // Weak, as c-ares answers what is left when it is torn down.
        servers?.lookUp(name) { [weak self] reply in
            self?.finish(reply)
            self?.askForNext()
        }
    }

    private func failAll(_ text: String) {
        for name in open.sorted() { finish(.failed(name: name, text: text)) }
    }

    private func finish(_ reply: ResolverReply) {
        guard open.remove(reply.name) != nil, failure == nil else { return }
        do throws(SystemError) {
            try host.send(JSONWriter.line(reply))
        } catch {
            failure = error
        }
        if open.isEmpty || failure != nil { loop.stop() }
    }

    private static func isHostName(_ name: String) -> Bool {
        guard let server = ServerAddress(name) else { return false }
        return server.port == nil && server.host == name
    }
}
