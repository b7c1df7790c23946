import Glibc
import JSON
import LinuxSystem
import Testing
import TunnelModel

/// The built provider as a child, with sockets in the place of its channel and its TUN.
final class ProviderProcess {
    let client: LineClient
    /// The other end of the TUN: one packet a read.
    var tun: FileDescriptor?
    private let child: ChildProcess

    static let attempt = "attempt-1"
    static let identifier = "7b0d5f5e-0c3e-4f0a-9a61-6a1f0d6c7e11"

    /// Starts the provider and says `start`.
    init(
        _ providerConfiguration: String = "{}",
        options: [String: String] = [:]
    ) throws {
        SignalDescriptor.ignoreBrokenPipes()
        let channel = try UnixSocket.pair()
        var pair: [CInt] = [-1, -1]
        let type = CInt(SOCK_SEQPACKET.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        #expect(socketpair(AF_UNIX, type, 0, &pair) == 0)
        let tun = FileDescriptor(taking: pair[0])
        let theirs = FileDescriptor(taking: pair[1])
        child = try ChildProcess.launch(
            executable: try FileDescriptor.open(Self.executable, O_RDONLY),
            name: "utunctl-loopback", arguments: ["utunctl-loopback"], environment: [],
            descriptors: [nil, nil, nil, channel.second.raw, theirs.raw])
        // Only a socket that does not block lets a deadline pass.
        #expect(fcntl(channel.first.raw, F_SETFL, O_NONBLOCK) == 0)
        client = LineClient(channel.first)
        self.tun = consume tun
        var configuration = Configuration(identifier: Self.identifier, name: "test")
        configuration.providerConfiguration = try JSONDocument(parsing: providerConfiguration.utf8)
            .withRoot { try #require($0.value.object) }
        var start = ProviderStart(
            attempt: Self.attempt, configuration: configuration,
            interface: .init(name: "utun0", index: 7, mtu: 1500))
        start.options = options
        start.tun = [4]
        try send(.start(start))
    }

    deinit {
        child.signal(SIGKILL)
        _ = try? LineClient.wait(
            for: [(child.descriptor.raw, .readable)], until: .after(milliseconds: 2000))
        _ = try? child.reap()
    }

    static var executable: String { sibling("utunctl-loopback") }

    static func sibling(_ name: String) -> String {
        var buffer = [CChar](repeating: 0, count: 4096)
        let length = readlink("/proc/self/exe", &buffer, buffer.count)
        let path = String(
            decoding: buffer.prefix(max(0, length)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return path.split(separator: "/").dropLast().reduce("") { "\($0)/\($1)" } + "/\(name)"
    }

    func send(_ message: HostMessage) throws {
        try client.send(JSONWriter.line(message))
    }

    /// The next message, or nil when there is none within the time or the channel has closed.
    func next(within milliseconds: Int64 = 5000) throws -> ProviderMessage? {
        let deadline = Deadline.after(milliseconds: milliseconds)
        guard case .line(let line) = try client.receive(until: deadline) else { return nil }
        return try ProviderMessage(line: line)
    }

    /// Goes on to `connected` and answers the settings that were asked for.
    func connect() throws -> NetworkSettings {
        guard case .settings(let id, let settings) = try next() else {
            throw Unexpected(text: "no settings")
        }
        try send(.settingsApplied(id: id))
        #expect(try next() == .connected)
        return settings
    }

    func report(id: Int64 = 2) throws -> ProviderReport {
        try send(.query(id: id))
        guard case .report(id, let report) = try next() else { throw Unexpected(text: "no report") }
        return report
    }

    func signal(_ signal: CInt) {
        child.signal(signal)
    }

    var pid: Int32 { child.pid }

    func exit(within milliseconds: Int64 = 5000) throws -> ChildProcess.Exit? {
        _ = try LineClient.wait(
            for: [(child.descriptor.raw, .readable)], until: .after(milliseconds: milliseconds))
        return try child.reap()
    }

    func sendPacket(_ packet: [UInt8]) throws {
        #expect(try tun?.writePacket(packet.span) == true)
    }

    func receivePacket(within milliseconds: Int64 = 5000) throws -> [UInt8]? {
        guard let raw = tun?.raw else { return nil }
        let deadline = Deadline.after(milliseconds: milliseconds)
        guard try !LineClient.wait(for: [(raw, .readable)], until: deadline).isEmpty else {
            return nil
        }
        return try tun?.read(atMost: 70_000)
    }
}

struct Unexpected: Error {
    let text: String
}
