internal import LinuxSystem

/// Answers the packets of one queue of the TUN.
final class PacketServer {
    /// Packets in one go, so that a flood leaves time for the channel.
    private static let batch = 64
    /// The longest IP packet that a TUN delivers, and the header of a jumbo-free IPv6 one.
    private static let longestPacket = 65_535 + 40

    private let queue: FileDescriptor
    private let responder: PacketResponder
    private let loop: EventLoop
    private var buffer = [UInt8](repeating: 0, count: PacketServer.longestPacket)

    private(set) var answered: Int64 = 0
    private(set) var dropped: Int64 = 0

    /// Takes over a queue and serves it from now on.
    init(
        _ queue: consuming FileDescriptor,
        _ responder: PacketResponder,
        on loop: EventLoop
    ) throws(SystemError) {
        self.queue = queue
        self.responder = responder
        self.loop = loop
        try loop.add(self.queue.raw) { [weak self] _ in self?.serve() }
    }

    deinit {
        loop.remove(queue.raw)
    }

    private func serve() {
        do throws(SystemError) {
            for _ in 0..<Self.batch {
                var span = buffer.mutableSpan
                guard let length = try queue.readPacket(into: &span) else { return }
                guard length > 0 else { return loop.remove(queue.raw) }
                answer(length)
            }
        } catch {
            // The interface is gone, which the host sees for itself; a descriptor that stays
            // ready would only keep the loop awake.
            loop.remove(queue.raw)
        }
    }

    private func answer(_ length: Int) {
        // Exactly the packet: what an earlier one left behind it must not count.
        var whole = buffer.mutableSpan
        var packet = whole._mutatingExtracting(first: length)
        guard case .reply(let length) = responder.respond(to: &packet) else {
            dropped += 1
            return
        }
        // A link that is down says EIO: the answer is lost as any packet may be.
        let isSent = (try? queue.writePacket(packet.span.extracting(first: length))) ?? false
        if isSent { answered += 1 } else { dropped += 1 }
    }
}
