import LinuxSystem
import TestSupport

/// A bad wire: a relay for datagrams between the two ends of a tunnel.
///
///     near end <-> [near side]  relay  [far side] <-> far end
///
/// Each end takes the side that faces it for its peer's address. What the wire does is switched
/// while it runs, and it remembers which messages it has seen.
final class LossyRelay {
    private let host: String
    private let wire: WireState
    private let thread: OtherThread

    /// The address to give to the near end as that of its peer.
    let forNear: DatagramAddress
    /// The address to give to the far end as that of its peer.
    let forFar: DatagramAddress

    /// Opens a relay at an address of this host; an end that speaks from elsewhere is followed.
    init(
        at host: String,
        near: DatagramAddress,
        far: DatagramAddress,
        seed: UInt64 = 1
    ) throws {
        let nearSide = try DatagramSocket(at: host)
        let farSide = try DatagramSocket(at: host)
        self.host = host
        forNear = nearSide.address
        forFar = farSide.address
        let wire = WireState(
            sides: [.towardNear: nearSide, .towardFar: farSide],
            ends: [.towardNear: near, .towardFar: far], seed: seed)
        self.wire = wire
        thread = OtherThread { wire.run() }
    }

    deinit {
        wire.end()
        try? thread.join()
    }

    /// Changes what the wire does, in one direction or both.
    func set(_ faults: WireFaults, _ direction: Direction? = nil) {
        for each in Direction.allCases where direction == nil || each == direction {
            wire.set(faults, each)
        }
    }

    /// What has been seen on its way in a direction.
    func record(_ direction: Direction) -> WireRecord {
        wire.record(direction)
    }

    /// How many messages of a kind went in a direction.
    func count(_ message: WireMessage, _ direction: Direction) -> Int {
        record(direction).counts[message] ?? 0
    }

    /// Sends bytes of one's own as if they came from the other end.
    func inject(_ bytes: [UInt8], _ direction: Direction) {
        wire.send(bytes, direction)
    }

    /// Goes on from another port: to the end that a direction leads to, its peer has moved.
    ///
    /// What still comes to the former port is taken, as a network under way does for a while.
    /// The answer is the new address.
    func move(_ direction: Direction) throws -> DatagramAddress {
        let socket = try DatagramSocket(at: host)
        wire.add(socket, direction)
        return socket.address
    }
}
