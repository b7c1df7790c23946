import LinuxSystem
import Synchronization
import TestSupport

/// A third party that sends one datagram again and again, as fast as it is told.
final class HandshakeFlood {
    private struct State {
        var replies: [WireMessage: Int] = [:]
        var strange = 0
        var isEnding = false
    }

    private final class Shared: Sendable {
        let state = Mutex(State())
    }

    private let shared = Shared()
    private let thread: OtherThread

    /// Begins to send bytes to an address from a socket of its own, so many each millisecond.
    init(_ bytes: [UInt8], from host: String, to address: DatagramAddress, perMillisecond: Int)
        throws
    {
        let socket = try DatagramSocket(at: host)
        let shared = shared
        thread = OtherThread {
            while !shared.state.withLock(\.isEnding) {
                for _ in 0..<perMillisecond { socket.send(bytes, to: address) }
                DatagramSocket.wait(for: [socket], milliseconds: 1)
                while let (reply, _) = socket.receive() {
                    shared.state.withLock { state in
                        if let message = WireMessage(reply) {
                            state.replies[message, default: 0] += 1
                        } else {
                            state.strange += 1
                        }
                    }
                }
            }
        }
    }

    deinit {
        shared.state.withLock { $0.isEnding = true }
        try? thread.join()
    }

    /// How many messages of a kind came back.
    func replies(_ message: WireMessage) -> Int {
        shared.state.withLock { $0.replies[message] ?? 0 }
    }
}
