import ProviderKit

/// What a packet has to have in common with the one before it to be handed over as one with it.
struct PacketFlow {
    let isIPv6: Bool
    let isTCP: Bool
    /// Bytes before the TCP or UDP header.
    let transport: Int
    /// Bytes before the payload.
    let headers: Int
    /// Bytes of headers and payload, without padding.
    let length: Int

    var payload: Int { length - headers }

    /// Reads a packet; `nil` for one that is to go by itself: no TCP with data or UDP, a
    /// fragment, options, anything out of the ordinary.
    @inline(__always)
    init?(_ packet: UnsafeRawPointer, count: Int) {
        let kind: UInt8
        switch packet.byte(0) {
        case 0x45:
            // No fragment, neither the first of one.
            guard packet.number16(PacketFields.V4.fragment) & 0x3FFF == 0 else { return nil }
            isIPv6 = false
            transport = PacketFields.V4.headerLength
            length = Int(packet.number16(PacketFields.V4.length))
            kind = packet.byte(PacketFields.V4.transport)
        case 0x60...0x6F where count >= PacketFields.V6.headerLength:
            isIPv6 = true
            transport = PacketFields.V6.headerLength
            length = Int(packet.number16(PacketFields.V6.payloadLength)) + transport
            kind = packet.byte(PacketFields.V6.transport)
        default: return nil
        }
        guard length <= count else { return nil }
        switch kind {
        case PacketFields.tcp:
            guard length >= transport + PacketFields.TCP.headerLength else { return nil }
            isTCP = true
            headers = transport + Int(packet.byte(transport + PacketFields.TCP.dataOffset) >> 4) * 4
            guard headers >= transport + PacketFields.TCP.headerLength else { return nil }
            // Others than these two end something, or begin it.
            let flags = packet.byte(transport + PacketFields.TCP.flags) & ~PacketFields.TCP.push
            guard flags == PacketFields.TCP.acknowledge else { return nil }
        case PacketFields.udp:
            guard length >= transport + PacketFields.UDP.headerLength else { return nil }
            isTCP = false
            headers = transport + PacketFields.UDP.headerLength
            guard Int(packet.number16(transport + PacketFields.UDP.length)) == length - transport,
                packet.number16(transport + PacketFields.UDP.checksum) != 0
            else { return nil }
        default: return nil
        }
        guard length > headers else { return nil }
    }

    /// Whether the checksums of the packet are right.
    ///
    /// The kernel is told that those of a merged packet are, and would no more look.
    @inline(__always)
    func isIntact(_ packet: UnsafeRawPointer) -> Bool {
        if !isIPv6 {
            let header = PacketSum.of(packet, count: PacketFields.V4.headerLength)
            guard PacketSum.fold(header) == 0xFFFF else { return false }
        }
        let kind = isTCP ? PacketFields.tcp : PacketFields.udp
        let sum =
            PacketSum.pseudo(packet, isIPv6: isIPv6, transport: kind)
            &+ PacketSum.length(length - transport)
            &+ PacketSum.of(packet + transport, count: length - transport)
        return PacketSum.fold(sum) == 0xFFFF
    }

    /// Whether `packet`, which has this flow, goes on where `first` of the flow `other` left off,
    /// `offset` bytes of payload after its beginning.
    @inline(__always)
    func continues(
        _ other: PacketFlow, _ first: UnsafeRawPointer, at offset: Int, _ packet: UnsafeRawPointer
    ) -> Bool {
        guard isIPv6 == other.isIPv6, isTCP == other.isTCP, headers == other.headers else {
            return false
        }
        guard isIPv6 ? Self.hasEqualV6Header(packet, first) : Self.hasEqualV4Header(packet, first)
        else { return false }
        let own = packet + transport
        let its = first + transport
        // Both ports.
        guard own.number32(0) == its.number32(0) else { return false }
        guard isTCP else { return true }
        typealias Field = PacketFields.TCP
        return own.number32(Field.sequence)
            == its.number32(Field.sequence) &+ UInt32(truncatingIfNeeded: offset)
            && own.number32(Field.acknowledged) == its.number32(Field.acknowledged)
            && own.number16(Field.window) == its.number16(Field.window)
            && Self.areEqual(
                own + Field.headerLength, its + Field.headerLength,
                headers - transport - Field.headerLength)
    }

    // Class of traffic, life time and addresses; length, identification and checksum differ.
    @inline(__always)
    private static func hasEqualV4Header(_ one: UnsafeRawPointer, _ other: UnsafeRawPointer) -> Bool
    {
        one.byte(1) == other.byte(1)
            && one.number16(PacketFields.V4.fragment) == other.number16(PacketFields.V4.fragment)
            && one.byte(PacketFields.V4.lifetime) == other.byte(PacketFields.V4.lifetime)
            && areEqual(one + 12, other + 12, 8)
    }

    // Class of traffic and flow label, life time and addresses.
    @inline(__always)
    private static func hasEqualV6Header(_ one: UnsafeRawPointer, _ other: UnsafeRawPointer) -> Bool
    {
        one.number32(0) == other.number32(0)
            && one.byte(PacketFields.V6.lifetime) == other.byte(PacketFields.V6.lifetime)
            && areEqual(one + 8, other + 8, 32)
    }

    // Headers are multiples of four bytes.
    @inline(__always)
    private static func areEqual(
        _ one: UnsafeRawPointer, _ other: UnsafeRawPointer, _ count: Int
    ) -> Bool {
        var offset = 0
        while offset < count {
            guard one.number32(offset) == other.number32(offset) else { return false }
            offset &+= 4
        }
        return true
    }
}
