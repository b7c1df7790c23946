import Glibc
import JSON
import LinuxSystem
import Testing
import TunnelModel

/// One run of the built resolver, as a child that is handed sockets.
final class ResolverRun {
    let loop: EventLoop
    private(set) var replies: [String: ResolverReply] = [:]
    private(set) var exit: ChildProcess.Exit?

    init() throws {
        SignalDescriptor.ignoreBrokenPipes()
        loop = try EventLoop()
    }

    func server(_ script: @escaping NameServerFake.Script) throws -> NameServerFake {
        try NameServerFake(on: loop, script)
    }

    /// Runs the resolver to its end, with so many sockets for each server.
    func resolve(
        _ names: [String],
        _ servers: [NameServerFake] = [],
        hosts: String? = nil,
        timeout: UInt32 = 4000,
        datagrams: Int = 1,
        streams: Int = 1
    ) throws {
        var handed: [FileDescriptorBox] = []
        func hand(_ descriptor: consuming FileDescriptor) -> Int {
            handed.append(FileDescriptorBox(descriptor))
            return 3 + handed.count
        }
        func sockets(_ count: Int, _ type: __socket_type) throws -> [Int] {
            try (0..<count).map { _ in
                hand(FileDescriptor(taking: try NameServerFake.makeSocket(type)))
            }
        }
        let loopback = IPAddress(v4: 0x7F00_0001)
        let request = ResolverRequest(
            names: names,
            servers: try servers.map {
                ResolverRequest.Server(
                    address: loopback, port: $0.port, datagram: try sockets(datagrams, SOCK_DGRAM),
                    stream: try sockets(streams, SOCK_STREAM))
            },
            hosts: try hosts.map { hand(try Self.file($0)) },
            timeout: timeout)
        try run(JSONWriter.line(request), handed)
        withExtendedLifetime(servers) {}
    }

    private func run(_ line: [UInt8], _ handed: [FileDescriptorBox]) throws {
        let pair = try UnixSocket.pair()
        let channel = try LineChannel(
            pair.first, on: loop, longestLine: ResolverReply.longestLine)
        let child = try ChildProcess.launch(
            executable: try FileDescriptor.open(Self.executable, O_RDONLY),
            name: "utunctl-resolver", arguments: ["utunctl-resolver"], environment: [],
            descriptors: [nil, nil, 2, pair.second.raw] + handed.map(\.raw))
        _ = consume pair.second
        for box in handed { _ = box.take() }
        channel.onLine = { [unowned self] line in
            guard let reply = try? ResolverReply(line: line) else {
                Issue.record("no reply: \(String(decoding: line, as: UTF8.self))")
                return
            }
            #expect(replies.updateValue(reply, forKey: reply.name) == nil)
        }
        channel.onEnd = { [unowned self] _ in loop.stop() }
        channel.send(line)
        let guardian = loop.schedule(milliseconds: 20_000) { [unowned self] in
            Issue.record("the resolver does not end")
            child.signal(SIGKILL)
            loop.stop()
        }
        try loop.run()
        loop.cancel(guardian)
        _ = try LineClient.wait(
            for: [(child.descriptor.raw, .readable)], until: .after(milliseconds: 5000))
        exit = try child.reap()
    }

    func addresses(of name: String) -> [String]? {
        guard case .resolved(_, let addresses) = replies[name] else { return nil }
        return addresses.map(\.description)
    }

    func failure(of name: String) -> String? {
        guard case .failed(_, let text) = replies[name] else { return nil }
        return text
    }

    private static func file(_ text: String) throws -> FileDescriptor {
        let pair = try UnixSocket.pair()
        try pair.first.write(Array(text.utf8))
        return pair.second
    }

    static var executable: String {
        var buffer = [CChar](repeating: 0, count: 4096)
        let length = readlink("/proc/self/exe", &buffer, buffer.count)
        let path = String(
            decoding: buffer.prefix(max(0, length)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return path.split(separator: "/").dropLast().reduce("") { "\($0)/\($1)" }
            + "/utunctl-resolver"
    }
}
