import ProviderKit

/// Cuts a packet that the kernel left in one piece (TSO, USO) into packets of their own.
///
/// What the kernel would do in `tcp_gso_segment` and `udp4_ufo_fragment`, save that each segment
/// is made right where it will be encrypted.
struct PacketCutter {
    /// The most that one of the segments is long, which includes the headers.
    let longestSegment: Int
    /// How many segments there are.
    let segments: Int

    private let packet: UnsafeRawPointer
    private let isIPv6: Bool
    private let isTCP: Bool
    private let transport: Int
    private let headers: Int
    private let payload: Int
    private let segment: Int
    private let pseudo: UInt64

    /// A cutter for a packet of which `header` says how it is to be cut; `nil` for one whose
    /// lengths do not add up.
    init?(_ packet: UnsafeRawPointer, count: Int, _ header: OffloadHeader) {
        let version = packet.byte(0) >> 4
        isIPv6 = version == 6
        isTCP = header.cutKind != OffloadHeader.Cut.udp
        transport = Int(header.checksumStart)
        segment = Int(header.segment)
        let least = isIPv6 ? PacketFields.V6.headerLength : PacketFields.V4.headerLength
        let own = isTCP ? PacketFields.TCP.headerLength : PacketFields.UDP.headerLength
        guard segment > 0, transport >= least, transport + own <= count else { return nil }
        let length =
            isTCP ? Int(packet.byte(transport + PacketFields.TCP.dataOffset) >> 4) * 4 : own
        headers = transport + length
        guard length >= own, headers < count else { return nil }
        self.packet = packet
        payload = count - headers
        segments = (payload + segment - 1) / segment
        longestSegment = headers + min(segment, payload)
        let kind = isTCP ? PacketFields.tcp : PacketFields.udp
        pseudo = PacketSum.pseudo(packet, isIPv6: isIPv6, transport: kind)
    }

    /// How long a segment is.
    @inline(__always)
    func length(of index: Int) -> Int {
        headers + min(segment, payload - index * segment)
    }

    /// Writes a segment whole: headers, payload, checksums.
    @inline(__always)
    func write(_ index: Int, to target: UnsafeMutableRawPointer) {
        let offset = index * segment
        let count = min(segment, payload - offset)
        target.copyMemory(from: packet, byteCount: headers)
        let sum = PacketSum.copy(packet + headers + offset, to: target + headers, count: count)
        if isIPv6 {
            target.store16(
                UInt16(truncatingIfNeeded: headers + count - PacketFields.V6.headerLength),
                PacketFields.V6.payloadLength)
        } else {
            writeV4Header(index, headers + count, target)
        }
        let start = target + transport
        if isTCP {
            writeTCPHeader(index, offset, start)
        } else {
            start.store16(
                UInt16(truncatingIfNeeded: count + PacketFields.UDP.headerLength),
                PacketFields.UDP.length)
        }
        let field = isTCP ? PacketFields.TCP.checksum : PacketFields.UDP.checksum
        start.storeBytes(of: 0, toByteOffset: field, as: UInt16.self)
        let length = headers - transport
        let whole =
            pseudo &+ PacketSum.length(length + count) &+ PacketSum.of(start, count: length) &+ sum
        start.storeChecksum(whole, field)
        // Of UDP no checksum at all would be zero.
        if !isTCP, start.load(fromByteOffset: field, as: UInt16.self) == 0 {
            start.storeBytes(of: 0xFFFF, toByteOffset: field, as: UInt16.self)
        }
    }

    @inline(__always)
    private func writeV4Header(_ index: Int, _ length: Int, _ target: UnsafeMutableRawPointer) {
        typealias Field = PacketFields.V4
        target.store16(UInt16(truncatingIfNeeded: length), Field.length)
        let identification = packet.number16(Field.identification)
        target.store16(identification &+ UInt16(truncatingIfNeeded: index), Field.identification)
        target.storeBytes(of: 0, toByteOffset: Field.checksum, as: UInt16.self)
        let options = Int(packet.byte(0) & 15) * 4
        target.storeChecksum(
            PacketSum.of(target, count: min(max(options, Field.headerLength), transport)),
            Field.checksum)
    }

    @inline(__always)
    private func writeTCPHeader(_ index: Int, _ offset: Int, _ start: UnsafeMutableRawPointer) {
        typealias Field = PacketFields.TCP
        let sequence = (packet + transport).number32(Field.sequence)
        start.store32(sequence &+ UInt32(truncatingIfNeeded: offset), Field.sequence)
        var flags = (packet + transport).byte(Field.flags)
        // What ends the data belongs to the last, what answers congestion to the first.
        if index < segments - 1 { flags &= ~(Field.fin | Field.push) }
        if index > 0 { flags &= ~Field.congestionReduced }
        start.storeBytes(of: flags, toByteOffset: Field.flags, as: UInt8.self)
    }
}
