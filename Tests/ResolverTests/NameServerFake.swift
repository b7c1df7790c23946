import Glibc
import LinuxSystem

/// A name server on 127.0.0.1, by datagrams and streams at the same port.
final class NameServerFake {
    enum Transport {
        case datagram, stream
    }

    /// The messages that answer a question, none for silence.
    typealias Script = (Question, Transport) -> [[UInt8]]

    let port: UInt16
    private(set) var questions: [Question] = []
    private let loop: EventLoop
    private let script: Script
    private var datagrams: FileDescriptor?
    private let listener: FileDescriptor
    private var connections: [FileDescriptorBox] = []

    init(on loop: EventLoop, _ script: @escaping Script) throws {
        self.loop = loop
        self.script = script
        // The kernel picks a port that is free for streams; for datagrams it then nearly
        // always is.
        var found: (CInt, CInt, UInt16)?
        for _ in 0..<20 where found == nil {
            let listener = try Self.makeSocket(SOCK_STREAM)
            let datagrams = try Self.makeSocket(SOCK_DGRAM)
            if Self.bind(listener, port: 0), Self.bind(datagrams, port: Self.port(of: listener)) {
                found = (listener, datagrams, Self.port(of: listener))
            } else {
                _ = Glibc.close(listener)
                _ = Glibc.close(datagrams)
            }
        }
        guard let found else { throw SystemError("bind", errno: EADDRINUSE) }
        listener = FileDescriptor(taking: found.0)
        datagrams = FileDescriptor(taking: found.1)
        port = found.2
        listen(listener.raw, 8)
        try loop.add(found.1) { [unowned self] _ in receive() }
        try loop.add(listener.raw) { [unowned self] _ in accept() }
    }

    deinit {
        close()
        for case let raw? in connections.map(\.raw) { loop.remove(raw) }
    }

    /// Closes the ports, so that the kernel refuses whatever comes.
    func close() {
        loop.remove(datagrams?.raw ?? -1)
        loop.remove(listener.raw)
        datagrams = nil
        shutdown(listener.raw, CInt(SHUT_RDWR))
    }

    private func receive() {
        guard let raw = datagrams?.raw else { return }
        var buffer = [UInt8](repeating: 0, count: 4096)
        var peer = sockaddr_in()
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let count = withUnsafeMutablePointer(to: &peer) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                recvfrom(raw, &buffer, buffer.count, 0, $0, &length)
            }
        }
        guard count > 0, let question = Question(Array(buffer.prefix(count))) else { return }
        questions.append(question)
        for message in script(question, .datagram) {
            Self.send(message, from: raw, to: peer)
        }
    }

    private func accept() {
        let raw = Glibc.accept(listener.raw, nil, nil)
        guard raw >= 0 else { return }
        _ = fcntl(raw, F_SETFD, FD_CLOEXEC)
        connections.append(FileDescriptorBox(FileDescriptor(taking: raw)))
        try? loop.add(raw) { [unowned self] _ in serve(raw) }
    }

    private func serve(_ raw: CInt) {
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = read(raw, &buffer, buffer.count)
        // Each question comes whole, as it is written at once.
        guard count > 2, let question = Question(Array(buffer[2..<count])) else {
            return loop.remove(raw)
        }
        questions.append(question)
        for message in script(question, .stream) {
            let framed = [UInt8(message.count >> 8), UInt8(message.count & 0xFF)] + message
            _ = write(raw, framed, framed.count)
        }
    }

    private static func send(_ message: [UInt8], from raw: CInt, to peer: sockaddr_in) {
        var peer = peer
        _ = withUnsafePointer(to: &peer) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                sendto(
                    raw, message, message.count, 0, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }

    static func makeSocket(_ type: __socket_type) throws -> CInt {
        let flags = SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue
        let raw = socket(AF_INET, CInt(type.rawValue | flags), 0)
        guard raw >= 0 else { throw SystemError("socket", errno: errno) }
        return raw
    }

    private static func bind(_ raw: CInt, port: UInt16) -> Bool {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        address.sin_port = port.bigEndian
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.bind(raw, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
    }

    private static func port(of raw: CInt) -> UInt16 {
        var address = sockaddr_in()
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        _ = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                getsockname(raw, $0, &length)
            }
        }
        return UInt16(bigEndian: address.sin_port)
    }
}
