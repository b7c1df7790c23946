import Glibc
import LinuxSystem

/// One `wg` that asks.
final class UserspaceClient {
    /// Nothing more comes of this client.
    var onEnd: () -> Void = {}

    private let socket: FileDescriptor
    private let loop: EventLoop
    private let report: () -> String
    private var request = UserspaceRequest()
    private var answer: [UInt8] = []
    private var sent = 0
    private var hasEnded = false

    init(_ socket: consuming FileDescriptor, on loop: EventLoop, _ report: @escaping () -> String)
        throws(SystemError)
    {
        self.socket = socket
        self.loop = loop
        self.report = report
        try loop.add(self.socket.raw) { [unowned self] interest in
            if interest.contains(.writable) { write() } else { read() }
        }
    }

    deinit {
        if !hasEnded { loop.remove(socket.raw) }
    }

    private func read() {
        guard let bytes = try? socket.read(atMost: 16_384) else { return end() }
        guard !bytes.isEmpty else { return end() }
        for operation in request.add(bytes) {
            switch operation {
            case .get: answer += Array("\(report())errno=0\n\n".utf8)
            case .set: answer += Array("errno=\(-EPERM)\n\n".utf8)
            case .unknown: answer += Array("errno=\(-EOPNOTSUPP)\n\n".utf8)
            }
        }
        write()
    }

    // While an answer is on its way no request is read: who does not read is not served.
    private func write() {
        while sent < answer.count {
            let count = answer.withUnsafeBytes { buffer in
                Glibc.send(
                    socket.raw, buffer.baseAddress.map { $0 + sent }, buffer.count - sent,
                    CInt(MSG_NOSIGNAL))
            }
            guard count >= 0 else {
                if errno == EAGAIN {
                    try? loop.change(socket.raw, to: .writable)
                    return
                }
                return end()
            }
            sent += count
        }
        answer = []
        sent = 0
        try? loop.change(socket.raw, to: .readable)
    }

    private func end() {
        guard !hasEnded else { return }
        hasEnded = true
        loop.remove(socket.raw)
        onEnd()
    }
}
