internal import Glibc
internal import JSON
internal import LinuxSystem
internal import Preferences
internal import TunnelModel

/// Resolves names in a child that is kept apart like a provider, over marked sockets, by the
/// resolvers that were there before any tunnel's.
///
/// Nothing that comes from the network is parsed in the privileged process but the child's
/// own short lines.
final class NameResolution {
    /// What became of the names: each has addresses or a reason why it has none.
    struct Outcome {
        var addresses: [String: [IPAddress]] = [:]
        var failures: [String: String] = [:]

        /// Why none of the names has an address.
        var reason: String {
            guard let first = failures.min(by: { $0.key < $1.key }) else { return "no name" }
            let text = "\(first.key): \(first.value)"
            return failures.count == 1 ? text : "\(text), and \(failures.count - 1) more names"
        }
    }

    private static let mostMilliseconds: UInt32 = 10_000
    /// How long the others are waited for once a name has its addresses and no more come.
    private static let patienceMilliseconds: Int64 = 1500
    private static let mostServers = 3
    /// One in use and one in reserve, of each kind, for each server.
    private static let socketsPerServer = 2

    /// The program that looks for the names.
    static func program(_ layout: FileLayout) -> String { layout.helper("utunctl-resolver") }

    private let loop: EventLoop
    private var child: ChildProcess?
    private let watched: CInt
    private let channel: LineChannel
    private let completion: (Outcome) -> Void
    private var missing: Set<String>
    private var outcome = Outcome()
    private var patience: EventLoop.Timer?
    private var isDone = false

    /// How long names may take within a start: it ends with its own reason, and says which
    /// name it was, before the start as a whole is out of time.
    static func milliseconds(within startTimeout: UInt32) -> UInt32 {
        min(mostMilliseconds, startTimeout * 1000 - 500)
    }

    /// Starts to resolve; `completion` is called once, unless the resolution goes before.
    init(
        _ names: [String],
        within milliseconds: UInt32,
        _ layout: FileLayout,
        without brought: [IPAddress],
        on loop: EventLoop,
        completion: @escaping (Outcome) -> Void
    ) throws(DisconnectReason) {
        let user = Sandbox.user
        do throws(SystemError) {
            // Not the provider's user: the firewall lets their packets out to different places.
            let sockets = try Self.openSockets(
                to: Self.resolvers(layout, without: brought), owner: Account.effectiveUser)
            let pair = try UnixSocket.pair()
            let hosts = Self.openHosts(layout)
            let descriptors: [CInt?] =
                [nil, nil, nil, pair.second.raw, hosts?.raw] + sockets.descriptors.map(\.raw)
            let child = try Self.launch(layout, descriptors, user)
            // Until here: their numbers alone would keep none of them open.
            withExtendedLifetime((hosts, sockets.descriptors)) {}
            channel = try LineChannel(
                pair.keepFirst(), on: loop, longestLine: ResolverReply.longestLine)
            let request = ResolverRequest(
                names: names, servers: sockets.servers, hosts: hosts == nil ? nil : 4,
                timeout: milliseconds)
            channel.send(JSONWriter.line(request))
            watched = child.descriptor.raw
            self.child = consume child
        } catch {
            throw DisconnectReason(.serverAddressResolution, error.text)
        }
        missing = Set(names)
        self.loop = loop
        self.completion = completion
        channel.onLine = { [weak self] line in self?.receive(line) }
        channel.onEnd = { [weak self] _ in self?.end() }
        do throws(SystemError) {
            try loop.add(watched) { [weak self] _ in self?.reap() }
        } catch {
            throw DisconnectReason(.internalError, error.text)
        }
    }

    deinit {
        loop.cancel(patience)
        // Once it is reaped, the number may be another's.
        guard let child = child.take() else { return }
        loop.remove(watched)
        loop.end(child)
    }

    private func reap() {
        loop.remove(watched)
        if let child = child.take() { _ = try? child.reap() }
        channel.drain()
        end()
    }

    private func receive(_ line: [UInt8]) {
        guard let reply = try? ResolverReply(line: line) else {
            return complete("the resolver answered nonsense")
        }
        guard !isDone, missing.remove(reply.name) != nil else { return }
        switch reply {
        case .resolved(let name, let addresses): outcome.addresses[name] = addresses
        case .failed(let name, let text):
            outcome.failures[name] = text.madePrintable(limit: 256)
        }
        if missing.isEmpty { return complete("") }
        if !outcome.addresses.isEmpty { awaitOthers() }
    }

    /// Waits for those that have no answer yet, but not as long as for the first.
    func awaitOthers() {
        loop.cancel(patience)
        patience = loop.schedule(milliseconds: Self.patienceMilliseconds) { [weak self] in
            self?.complete("no answer yet")
        }
    }

    private func end() {
        complete("the resolver ended without an answer")
    }

    /// Ends with what is known; the names without an answer have this failure.
    private func complete(_ failure: String) {
        guard !isDone else { return }
        isDone = true
        loop.cancel(patience)
        for name in missing { outcome.failures[name] = failure }
        completion(outcome)
    }

    private static func openHosts(_ layout: FileLayout) -> FileDescriptorBox? {
        do { return FileDescriptorBox(try FileDescriptor.open(layout.hostsFile, O_RDONLY)) } catch {
            return nil
        }
    }

    private static func launch(
        _ layout: FileLayout,
        _ descriptors: [CInt?],
        _ user: Account.User?
    ) throws(SystemError) -> ChildProcess {
        let path = program(layout)
        let executable: FileDescriptor
        do { executable = try TrustedFile.openExecutable(path) } catch {
            switch error {
            case .system(let error): throw error
            case .unsafe: throw SystemError("running", path, errno: EPERM)
            }
        }
        do {
            return try ChildProcess.launch(
                executable: executable, name: path, arguments: [path],
                environment: Sandbox.environment, descriptors: descriptors,
                isolation: ChildProcess.Isolation(
                    hasOwnNetwork: true, user: user, livenessDescriptor: 3))
        } catch {
            throw error.error
        }
    }

    private static func openSockets(to addresses: [IPAddress], owner: UInt32) throws(SystemError)
        -> (servers: [ResolverRequest.Server], descriptors: [FileDescriptorBox])
    {
        var servers: [ResolverRequest.Server] = []
        var boxes: [FileDescriptorBox] = []
        let first = 5
        for address in addresses {
            func open(_ transport: OutsideSocket.Transport) throws(SystemError) -> [Int] {
                var numbers: [Int] = []
                for _ in 0..<socketsPerServer {
                    let socket = try OutsideSocket.open(
                        isIPv6: address.family == .v6, transport, owner: owner)
                    numbers.append(first + boxes.count)
                    boxes.append(FileDescriptorBox(socket))
                }
                return numbers
            }
            let count = boxes.count
            do throws(SystemError) {
                let datagram = try open(.datagram)
                let stream = try open(.stream)
                servers.append(
                    ResolverRequest.Server(address: address, datagram: datagram, stream: stream))
            } catch {
                // A host without IPv6 may still list a resolver that has it.
                guard error.errno == EAFNOSUPPORT else { throw error }
                boxes.removeLast(boxes.count - count)
            }
        }
        return (servers, boxes)
    }

    /// The resolvers that are asked: those that were there before any tunnel's.
    ///
    /// What a tunnel wrote into a resolv.conf says what it held before; in the list of
    /// systemd-resolved, what a tunnel brought stands beside the others.
    static func resolvers(_ layout: FileLayout, without brought: [IPAddress] = [])
        -> [IPAddress]
    {
        guard let file = try? FileDescriptor.open(layout.resolverList, O_RDONLY | O_NONBLOCK),
            let bytes = try? file.readAll(limit: 1 << 20)
        else { return [] }
        let all = ResolverFile(bytes).formerServers
        let others = all.filter { !brought.contains($0) }
        return Array((others.isEmpty ? all : others).prefix(mostServers))
    }
}
