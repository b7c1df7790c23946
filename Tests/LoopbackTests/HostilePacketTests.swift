import Loopback
import Testing

/// A good packet with one thing wrong.
private struct Fault: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let packet: [UInt8]
    /// Whether the checksums are made right again after the change.
    let refits: Bool
    let change: @Sendable (inout [UInt8]) -> Void

    init(
        _ name: String,
        _ packet: [UInt8],
        refits: Bool = true,
        _ change: @escaping @Sendable (inout [UInt8]) -> Void
    ) {
        testDescription = name
        self.packet = packet
        self.refits = refits
        self.change = change
    }

    /// One fault for each address that can't have sent a packet.
    static func sources(_ packet: [UInt8], at offset: Int, _ addresses: [[UInt8]]) -> [Fault] {
        addresses.map { address in
            Fault("source \(address)", packet) {
                $0.replaceSubrange(offset..<(offset + address.count), with: address)
            }
        }
    }
}

private func v6(_ first: [UInt8], _ last: UInt8) -> [UInt8] {
    first + [UInt8](repeating: 0, count: 15 - first.count) + [last]
}

@Suite struct HostilePacketTests {
    private let responder: PacketResponder

    init() throws {
        responder = try PacketResponder.forTests()
    }

    @Test(
        arguments: [
            Fault("version 5", Packets.icmp, refits: false) { $0[0] = 0x55 },
            Fault("version 6 in an IPv4 packet", Packets.icmp, refits: false) { $0[0] = 0x65 },
            Fault("version 4 in an IPv6 packet", Packets.icmpV6, refits: false) { $0[0] = 0x45 },
            Fault("version 0", Packets.icmpV6, refits: false) { $0[0] = 0 },
            Fault("header of 4 words", Packets.icmp) { $0[0] = 0x44 },
            Fault("header of 0 words", Packets.icmp) { $0[0] = 0x40 },
            Fault("header of 15 words", Packets.icmp) { $0[0] = 0x4F },
            Fault("options", Packets.icmp, refits: false) {
                $0[0] = 0x46
                $0[3] += 4
                $0.insert(contentsOf: [1, 1, 1, 0], at: 20)
                Reference.set(0, at: 10, in: &$0)
                let header = Reference.sum(Array($0[0..<24]))
                Reference.set(UInt16(~header & 0xFFFF), at: 10, in: &$0)
            },
            Fault("total length 0", Packets.icmp, refits: false) {
                Reference.set(0, at: 2, in: &$0)
                Reference.refitHeader(&$0)
            },
            Fault("total length 19", Packets.udp, refits: false) {
                Reference.set(19, at: 2, in: &$0)
                Reference.refitHeader(&$0)
            },
            Fault("total length beyond the buffer", Packets.udp, refits: false) {
                $0[3] += 1
                Reference.refitHeader(&$0)
            },
            Fault("header checksum", Packets.icmp, refits: false) { $0[11] ^= 1 },
            Fault("more fragments", Packets.icmp) { $0[6] |= 0x20 },
            Fault("fragment offset", Packets.icmp) { $0[7] = 1 },
            Fault("high fragment offset", Packets.icmp) { $0[6] |= 0x10 },
            Fault("reserved flag", Packets.icmp) { $0[6] |= 0x80 },
            Fault("other protocol", Packets.icmp) { $0[9] = 6 },
            Fault("ICMPv6 in IPv4", Packets.icmp) { $0[9] = 58 },
            Fault("ICMPv4 in IPv6", Packets.icmpV6) { $0[6] = 1 },
            Fault("foreign destination", Packets.icmp) { $0[19] = 3 },
            Fault("foreign destination, IPv6", Packets.udpV6) { $0[39] = 3 },
            Fault("from the peer itself", Packets.icmp) { $0[15] = 1 },
            Fault("from the peer itself, IPv6", Packets.udpV6) { $0[23] = 1 },
            Fault("echo reply", Packets.icmp) { $0[20] = 0 },
            Fault("echo reply, IPv6", Packets.icmpV6) { $0[40] = 129 },
            Fault("ICMP code", Packets.icmp) { $0[21] = 1 },
            Fault("ICMPv6 code", Packets.icmpV6) { $0[41] = 1 },
            Fault("ICMP checksum", Packets.icmp, refits: false) { $0[22] ^= 1 },
            Fault("ICMPv6 checksum", Packets.icmpV6, refits: false) { $0[42] ^= 1 },
            Fault("ICMP data", Packets.icmp, refits: false) { $0[35] ^= 1 },
            Fault("ICMP of 7 bytes", Array(Packets.icmp[..<27])) { $0[3] = 27 },
            Fault("ICMPv6 of 7 bytes", Array(Packets.icmpV6[..<47])) { $0[5] = 7 },
            Fault("no payload, IPv6", Packets.icmpV6, refits: false) { $0[5] = 0 },
            Fault("hop-by-hop options", Packets.icmpV6, refits: false) {
                $0[6] = 0
                $0[5] += 8
                $0.insert(contentsOf: [58, 0, 1, 4, 0, 0, 0, 0], at: 40)
            },
            Fault("fragment header", Packets.udpV6, refits: false) {
                $0[6] = 44
                $0[5] += 8
                $0.insert(contentsOf: [17, 0, 0, 0, 0, 0, 0, 1], at: 40)
            },
            Fault("other UDP port", Packets.udp) { $0[23] = 9 },
            Fault("from UDP port 7", Packets.udp) { Reference.set(7, at: 20, in: &$0) },
            Fault("from UDP port 7, IPv6", Packets.udpV6) { Reference.set(7, at: 40, in: &$0) },
            Fault("from UDP port 0", Packets.udp) { Reference.set(0, at: 20, in: &$0) },
            Fault("UDP checksum", Packets.udp, refits: false) { $0[27] ^= 1 },
            Fault("UDP checksum, IPv6", Packets.udpV6, refits: false) { $0[47] ^= 1 },
            Fault("no UDP checksum, IPv6", Packets.udpV6, refits: false) {
                Reference.set(0, at: 46, in: &$0)
            },
            Fault("UDP checksum 0 where the sum is 0, IPv6", Packets.udpV6, refits: false) {
                Reference.set(0, at: 46, in: &$0)
                Reference.set(0x6162 + 0x7e07, at: 48, in: &$0)
            },
            Fault("UDP length too small", Packets.udp) { $0[25] = 10 },
            Fault("UDP length too large", Packets.udp) { $0[25] = 12 },
            Fault("UDP length 0", Packets.udpV6) { $0[45] = 0 },
        ]
            + Fault.sources(
                Packets.icmp, at: 12,
                [
                    [0, 0, 0, 0], [0, 1, 2, 3], [127, 0, 0, 1], [224, 0, 0, 1],
                    [239, 255, 255, 255],
                    [240, 0, 0, 1], [255, 255, 255, 255],
                ])
            + Fault.sources(
                Packets.icmpV6, at: 8,
                [v6([], 0), v6([], 1), v6([0xFF, 0x02], 1), v6([0xFF], 0)])
    )
    fileprivate func isDropped(fault: Fault) {
        if Packets.requests.contains(fault.packet) {
            #expect(responder.answer(to: fault.packet) != nil)
        }
        var packet = fault.packet
        fault.change(&packet)
        if fault.refits { Reference.refit(&packet) }
        #expect(responder.answer(to: packet) == nil)
    }

    @Test func randomBuffers() {
        var random = SplitMix(state: 117)
        for round in 0..<100_000 {
            var packet = (0..<Int.random(in: 0...80, using: &random)).map { _ in
                UInt8.random(in: 0...255, using: &random)
            }
            // Half of them go farther: with a version, and lengths and addresses that may fit.
            if round % 2 == 1, let request = Packets.requests.randomElement(using: &random) {
                let kept = Int.random(in: 1...request.count, using: &random)
                packet.replaceSubrange(..<min(kept, packet.count), with: request[..<kept])
            }
            check(packet)
        }
    }

    @Test func flippedBits() {
        var random = SplitMix(state: 61_117)
        var answered = 0
        for round in 0..<100_000 {
            var packet = Packets.requests[round % 4]
            let bit = Int.random(in: 0..<(packet.count * 8), using: &random)
            packet[bit / 8] ^= 1 << (bit % 8)
            if check(packet) { answered += 1 }
        }
        // Only traffic class, flow label and hop limit of IPv6 are under no checksum.
        #expect(answered > 0)
        #expect(answered < 10_000)
    }

    /// Says whether a packet was answered, which it must not be unless it is intact; the answer
    /// must be intact as well and draw none itself.
    @discardableResult
    private func check(_ packet: [UInt8]) -> Bool {
        guard let reply = responder.answer(to: packet) else { return false }
        #expect(Reference.isIntact(packet))
        #expect(Reference.isIntact(reply))
        #expect(reply.count <= packet.count)
        #expect(responder.answer(to: reply) == nil)
        return true
    }
}
