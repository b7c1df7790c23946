import LinuxSystem
import Synchronization
import TestSupport

/// What a wire has seen on its way in one direction.
struct WireRecord: Sendable {
    private(set) var counts: [WireMessage: Int] = [:]
    /// The lengths of each kind.
    private(set) var lengths: [WireMessage: Set<Int>] = [:]
    /// The last message of each kind.
    private(set) var last: [WireMessage: [UInt8]] = [:]
    /// Empty transport messages: keepalives.
    private(set) var keepalives = 0
    /// Datagrams that are no message at all.
    private(set) var strange = 0

    var total: Int { counts.values.reduce(strange, +) }

    mutating func note(_ bytes: [UInt8]) {
        guard let message = WireMessage(bytes) else {
            strange += 1
            return
        }
        counts[message, default: 0] += 1
        lengths[message, default: []].insert(bytes.count)
        last[message] = bytes
        if message == .transport, bytes.count == 32 { keepalives += 1 }
    }
}

/// The two sides of a wire and what happens to what goes over it.
final class WireState: Sendable {
    private struct Guarded {
        var faults: [Direction: WireFaults] = [:]
        var records: [Direction: WireRecord] = [:]
        /// The sockets of the side that a direction leads to; the last is the one that sends.
        var sides: [Direction: [DatagramSocket]]
        /// Where the end that a direction leads to was last heard from.
        var ends: [Direction: DatagramAddress]
        var random: SeededGenerator
        var isEnding = false
    }

    private struct Delayed {
        let due: Int64
        let direction: Direction
        let bytes: [UInt8]
    }

    /// As many datagrams may wait for their time; more are lost, as in any queue.
    private static let room = 4096

    private let guarded: Mutex<Guarded>

    init(sides: [Direction: DatagramSocket], ends: [Direction: DatagramAddress], seed: UInt64) {
        guarded = Mutex(
            Guarded(
                sides: sides.mapValues { [$0] }, ends: ends, random: SeededGenerator(seed: seed)))
    }

    func end() {
        guarded.withLock { $0.isEnding = true }
    }

    func set(_ faults: WireFaults, _ direction: Direction) {
        guarded.withLock { $0.faults[direction] = faults }
    }

    func record(_ direction: Direction) -> WireRecord {
        guarded.withLock { $0.records[direction] ?? WireRecord() }
    }

    func send(_ bytes: [UInt8], _ direction: Direction) {
        guarded.withLock { state in
            guard let socket = state.sides[direction]?.last, let end = state.ends[direction]
            else { return }
            socket.send(bytes, to: end)
        }
    }

    func add(_ socket: DatagramSocket, _ direction: Direction) {
        guarded.withLock { $0.sides[direction]?.append(socket) }
    }

    /// Carries datagrams until the end.
    func run() {
        var waiting: [Delayed] = []
        while let sides = guarded.withLock({ $0.isEnding ? nil : $0.sides }) {
            DatagramSocket.wait(
                for: sides.values.flatMap(\.self), milliseconds: waiting.isEmpty ? 20 : 1)
            for (side, sockets) in sides {
                for socket in sockets { carry(from: socket, side.opposite, &waiting) }
            }
            let now = Clock.monotonicNanoseconds
            for delayed in waiting where delayed.due <= now {
                send(delayed.bytes, delayed.direction)
            }
            waiting.removeAll { $0.due <= now }
        }
    }

    private func carry(
        from socket: DatagramSocket,
        _ direction: Direction,
        _ waiting: inout [Delayed]
    ) {
        // As much as is there and no more, so that the other side has its turn.
        for _ in 0..<256 {
            guard let (bytes, sender) = socket.receive() else { return }
            let (copies, faults) = guarded.withLock { state in
                state.records[direction, default: WireRecord()].note(bytes)
                state.ends[direction.opposite] = sender
                let faults = state.faults[direction] ?? .none
                return (faults.apply(to: bytes, &state.random), faults)
            }
            for copy in copies {
                let delay = guarded.withLock { state in
                    state.random.happens(faults.delayed) ? Int64(state.random.next() % 20) + 1 : 0
                }
                if delay == 0 {
                    send(copy, direction)
                } else if waiting.count < Self.room {
                    let due = Clock.monotonicNanoseconds + delay * 1_000_000
                    waiting.append(Delayed(due: due, direction: direction, bytes: copy))
                }
            }
        }
    }
}

extension WireFaults {
    /// What arrives of a datagram: nothing, it, or more than one of it.
    fileprivate func apply(to bytes: [UInt8], _ random: inout SeededGenerator) -> [[UInt8]] {
        if random.happens(lost) { return [] }
        if let message = WireMessage(bytes), swallowed.contains(message) { return [] }
        var bytes = bytes
        if !bytes.isEmpty, random.happens(mangled) {
            bytes[Int(random.next() % UInt64(bytes.count))] ^= UInt8(random.next() % 255) + 1
        }
        return [[UInt8]](repeating: bytes, count: random.happens(doubled) ? 2 : 1)
    }
}
