import Testing

@testable import WireGuardTunnel

struct PacketMergerTests {
    @Test(arguments: [false, true], [false, true])
    func whatWasCutIsMergedToTheSameAgain(isIPv6: Bool, isTCP: Bool) throws {
        var whole = InnerPacket()
        whole.isIPv6 = isIPv6
        whole.isTCP = isTCP
        whole.flags = 0x18
        whole.payload = InnerPacket.payload(30_000)
        let segments = try #require(cut(whole.uncut(segment: 1380)))
        let merged = QueueFake().merge(segments)
        #expect(merged.count == 1)
        // The kernel would cut it into just what was received.
        #expect(try cut(#require(merged.first)) == segments)
    }

    @Test func aPacketByItselfIsHandedOverAsItCame() {
        var packet = InnerPacket()
        packet.payload = InnerPacket.payload(10)
        let padding: [UInt8] = [0, 0, 0, 0, 0, 0]
        let queued = QueueFake().merge([packet.bytes + padding])
        #expect(queued == [[UInt8](repeating: 0, count: OffloadHeader.byteCount) + packet.bytes])
    }

    @Test func packetsAreNeverPutIntoAnotherOrder() {
        let packets = (0..<6).map { index in
            var packet = InnerPacket()
            packet.port = index % 2 == 0 ? 1 : 2
            packet.payload = [UInt8(index)]
            return packet.bytes
        }
        let queued = QueueFake().merge(packets)
        #expect(queued.map { Array($0[OffloadHeader.byteCount...]) } == packets)
    }

    /// Two packets of which the second does not go on where the first ended.
    static let strangers: [(name: String, change: @Sendable (inout InnerPacket) -> Void)] = [
        ("a gap", { $0.sequence += 1 }),
        ("a repetition", { $0.sequence -= 100 }),
        ("a connection's end", { $0.flags |= 0x01 }),
        ("a reset", { $0.flags |= 0x04 }),
        ("urgent data", { $0.flags |= 0x20 }),
        ("another port", { $0.port += 1 }),
        ("other options", { $0.options = [1, 1, 1, 1] }),
        ("no data", { $0.payload = [] }),
        ("more data than the first", { $0.payload.append(1) }),
    ]

    @Test(arguments: strangers.indices)
    func aStrangerIsNotMerged(index: Int) {
        var first = InnerPacket()
        first.payload = InnerPacket.payload(100)
        var second = first
        second.sequence += 100
        #expect(QueueFake().merge([first.bytes, second.bytes]).count == 1)
        Self.strangers[index].change(&second)
        let queued = QueueFake().merge([first.bytes, second.bytes])
        #expect(
            queued.map { Array($0[OffloadHeader.byteCount...]) } == [first.bytes, second.bytes],
            "\(Self.strangers[index].name)")
    }

    @Test(arguments: [0, 1], [5, 33, 60])
    func aDamagedPacketIsNotMadeGood(which: Int, place: Int) {
        var first = InnerPacket()
        first.payload = InnerPacket.payload(100)
        var second = first
        second.sequence += 100
        var packets = [first.bytes, second.bytes]
        packets[which][place] ^= 1
        let queued = QueueFake().merge(packets)
        #expect(queued.map { Array($0[OffloadHeader.byteCount...]) } == packets)
    }

    @Test func aPushIsSeenAtOnceAndNotWaitedOn() {
        var first = InnerPacket()
        first.payload = InnerPacket.payload(100)
        var second = first
        second.sequence += 100
        second.flags |= PacketFields.TCP.push
        var third = first
        third.sequence += 200
        let queued = QueueFake().merge([first.bytes, second.bytes, third.bytes])
        #expect(queued.count == 2)
        #expect(queued.first?[OffloadHeader.byteCount + 33] == 0x18)
    }

    @Test func aKernelThatMergesNothingIsHandedEachPacket() {
        var first = InnerPacket()
        first.payload = InnerPacket.payload(100)
        var second = first
        second.sequence += 100
        #expect(QueueFake().merge([first.bytes, second.bytes], .nothing).count == 2)
        first.isTCP = false
        #expect(QueueFake().merge([first.bytes, first.bytes], .tcp).count == 2)
        #expect(QueueFake().merge([first.bytes, first.bytes], .tcpAndUDP).count == 1)
    }

    @Test func whateverAPeerSendsStaysWithinItsPacketAndIsHandedOverOnce() {
        var generator = SystemRandomNumberGenerator()
        for round in 0..<3000 {
            var packets: [[UInt8]] = []
            var sequence: UInt32 = 1
            for _ in 0..<6 {
                var packet = InnerPacket()
                packet.isIPv6 = round % 2 == 0
                packet.isTCP = round % 3 != 0
                packet.sequence = sequence
                packet.payload = InnerPacket.payload(50)
                sequence += 50
                var bytes = packet.bytes
                // Headers that lie, packets that end early.
                if round % 4 != 0 {
                    let place = Int.random(in: 1..<min(bytes.count, 64), using: &generator)
                    bytes[place] = .random(in: 0...255, using: &generator)
                }
                if round % 5 == 0 { bytes.removeLast(.random(in: 0...30, using: &generator)) }
                packets.append(bytes)
            }
            let queued = QueueFake().merge(packets)
            #expect(queued.count <= packets.count)
            #expect(queued.allSatisfy { $0.count <= OffloadHeader.byteCount + 65_535 })
            let handed = queued.reduce(0) { $0 + $1.count - OffloadHeader.byteCount }
            #expect(handed <= packets.reduce(0) { $0 + $1.count })
        }
    }

    @Test func noPacketGrowsLongerThanAnIPPacketMayBe() {
        var packets: [[UInt8]] = []
        var packet = InnerPacket()
        packet.payload = InnerPacket.payload(9000)
        for _ in 0..<10 {
            packets.append(packet.bytes)
            packet.sequence += 9000
        }
        let queued = QueueFake().merge(packets)
        #expect(queued.allSatisfy { $0.count <= OffloadHeader.byteCount + 65_535 })
        #expect(queued.count == 2)
    }
}
