import Testing

@testable import WireGuardTunnel

struct PacketCutterTests {
    @Test(arguments: [false, true], [1, 100, 1379, 1380, 1381, 40_000])
    func segmentsAreThePacketsThatTCPWouldHaveSentItself(isIPv6: Bool, count: Int) throws {
        var whole = InnerPacket()
        whole.isIPv6 = isIPv6
        whole.options = [1, 1, 8, 10, 1, 2, 3, 4, 5, 6, 7, 8]
        whole.payload = InnerPacket.payload(count)
        whole.flags = 0x18
        let segments = try #require(cut(whole.uncut(segment: 1380)))
        #expect(segments.count == (count + 1379) / 1380)
        for (index, segment) in segments.enumerated() {
            var expected = whole
            expected.payload = Array(whole.payload[(index * 1380)...].prefix(1380))
            expected.sequence += UInt32(index * 1380)
            expected.flags = index == segments.count - 1 ? 0x18 : 0x10
            #expect(
                Self.withoutIdentification(segment, isIPv6)
                    == Self.withoutIdentification(expected.bytes, isIPv6))
            if !isIPv6 { #expect(segment[4] == 0 && segment[5] == UInt8(7 + index)) }
        }
    }

    @Test(arguments: [false, true])
    func congestionIsAnsweredByTheFirstSegmentAlone(isIPv6: Bool) throws {
        var whole = InnerPacket()
        whole.isIPv6 = isIPv6
        whole.flags = 0x90
        whole.payload = InnerPacket.payload(300)
        let segments = try #require(cut(whole.uncut(segment: 100)))
        #expect(segments.map { $0[(isIPv6 ? 40 : 20) + 13] } == [0x90, 0x10, 0x10])
    }

    @Test(arguments: [false, true])
    func datagramsKeepTheirLengthsAndChecksums(isIPv6: Bool) throws {
        var whole = InnerPacket()
        whole.isIPv6 = isIPv6
        whole.isTCP = false
        whole.payload = InnerPacket.payload(2501)
        let segments = try #require(cut(whole.uncut(segment: 1000)))
        #expect(segments.count == 3)
        for (index, segment) in segments.enumerated() {
            var expected = whole
            expected.payload = Array(whole.payload[(index * 1000)...].prefix(1000))
            #expect(
                Self.withoutIdentification(segment, isIPv6)
                    == Self.withoutIdentification(expected.bytes, isIPv6))
        }
    }

    @Test func lengthsThatDoNotAddUpAreNoPacket() {
        var packet = InnerPacket()
        packet.payload = InnerPacket.payload(100)
        let good = packet.uncut(segment: 50)
        #expect(cut(good) != nil)
        for place in 0..<good.count {
            // No value of any byte may make it read or write where it must not.
            for value: UInt8 in [0, 1, 0x7F, 0xFF] {
                var bad = good
                bad[place] = value
                _ = cut(bad)
            }
        }
        for length in OffloadHeader.byteCount + 20..<OffloadHeader.byteCount + 40 {
            #expect(cut(Array(good[..<length])) == nil)
        }
    }

    // The identification counts up, and the header's checksum with it.
    private static func withoutIdentification(_ packet: [UInt8], _ isIPv6: Bool) -> [UInt8] {
        guard !isIPv6 else { return packet }
        var packet = packet
        for place in [4, 5, 10, 11] { packet[place] = 0 }
        return packet
    }
}
