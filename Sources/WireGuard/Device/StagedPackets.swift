/// Packets that wait for a session; the oldest give way.
struct StagedPackets {
    /// As many as one window of TCP needs to begin with.
    static let most = 32

    private var packets: [[UInt8]] = []

    var isEmpty: Bool { packets.isEmpty }

    mutating func add(_ packet: UnsafeRawBufferPointer) {
        if packets.count == Self.most { packets.removeFirst() }
        packets.append(Array(packet))
    }

    mutating func takeAll() -> [[UInt8]] {
        defer { packets = [] }
        return packets
    }
}
