import Glibc
import ProviderKit

@testable import WireGuardTunnel

/// A packet of TCP or UDP as a host would send it, with right checksums.
struct InnerPacket {
    var isIPv6 = false
    var isTCP = true
    var sequence: UInt32 = 1000
    var flags: UInt8 = 0x10
    var port: UInt16 = 5001
    var payload: [UInt8] = []
    var options: [UInt8] = []

    var bytes: [UInt8] {
        let transport = isIPv6 ? 40 : 20
        let own = isTCP ? 20 + options.count : 8
        var bytes = [UInt8](repeating: 0, count: transport + own) + payload
        let total = bytes.count
        bytes.withUnsafeMutableBytes { buffer in
            guard let start = buffer.baseAddress else { return }
            if isIPv6 {
                start.storeBytes(of: 0x60, as: UInt8.self)
                start.store16(UInt16(total - 40), 4)
                start.storeBytes(of: isTCP ? 6 : 17, toByteOffset: 6, as: UInt8.self)
                start.storeBytes(of: 64, toByteOffset: 7, as: UInt8.self)
                for index in 8..<40 {
                    start.storeBytes(of: UInt8(index), toByteOffset: index, as: UInt8.self)
                }
            } else {
                start.storeBytes(of: 0x45, as: UInt8.self)
                start.store16(UInt16(total), 2)
                start.store16(7, 4)
                start.store16(0x4000, 6)
                start.storeBytes(of: 64, toByteOffset: 8, as: UInt8.self)
                start.storeBytes(of: isTCP ? 6 : 17, toByteOffset: 9, as: UInt8.self)
                start.store32(0x0A00_0001, 12)
                start.store32(0x0A00_0002, 16)
                start.storeChecksum(PacketSum.of(start, count: 20), 10)
            }
            let head = start + transport
            head.store16(40_000, 0)
            head.store16(port, 2)
            if isTCP {
                head.store32(sequence, 4)
                head.store32(77, 8)
                head.storeBytes(of: UInt8(own / 4) << 4, toByteOffset: 12, as: UInt8.self)
                head.storeBytes(of: flags, toByteOffset: 13, as: UInt8.self)
                head.store16(502, 14)
                for (index, byte) in options.enumerated() {
                    head.storeBytes(of: byte, toByteOffset: 20 + index, as: UInt8.self)
                }
            } else {
                head.store16(UInt16(total - transport), 4)
            }
            let sum =
                PacketSum.pseudo(start, isIPv6: isIPv6, transport: isTCP ? 6 : 17)
                &+ PacketSum.length(total - transport)
                &+ PacketSum.of(head, count: total - transport)
            head.storeChecksum(sum, isTCP ? 16 : 6)
        }
        return bytes
    }

    /// The same packet as the kernel hands it over to be cut, after its header.
    func uncut(segment: Int) -> [UInt8] {
        var offload = OffloadHeader()
        offload.flags = OffloadHeader.needsChecksum
        offload.cut =
            !isTCP
            ? OffloadHeader.Cut.udp
            : isIPv6 ? OffloadHeader.Cut.tcpV6 : OffloadHeader.Cut.tcpV4
        offload.segment = UInt16(segment)
        offload.checksumStart = isIPv6 ? 40 : 20
        offload.checksumOffset = isTCP ? 16 : 6
        var header = [UInt8](repeating: 0, count: OffloadHeader.byteCount)
        header.withUnsafeMutableBytes { if let start = $0.baseAddress { offload.write(to: start) } }
        return header + bytes
    }

    /// Bytes that differ from each other.
    static func payload(_ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
    }
}

/// The segments that a cutter makes.
func cut(_ uncut: [UInt8]) -> [[UInt8]]? {
    uncut.withUnsafeBytes { bytes in
        guard let start = bytes.baseAddress,
            let cutter = PacketCutter(
                start + OffloadHeader.byteCount, count: bytes.count - OffloadHeader.byteCount,
                OffloadHeader(start))
        else { return nil }
        return (0..<cutter.segments).map { index in
            [UInt8](unsafeUninitializedCapacity: cutter.length(of: index)) { room, count in
                if let place = room.baseAddress {
                    cutter.write(index, to: UnsafeMutableRawPointer(place))
                }
                count = cutter.length(of: index)
            }
        }
    }
}

/// A TUN queue of a test: what is written comes out again, one packet a time.
final class QueueFake {
    let writing: CInt
    private let reading: CInt

    init() {
        var ends: [CInt] = [-1, -1]
        socketpair(AF_UNIX, CInt(SOCK_SEQPACKET.rawValue), 0, &ends)
        writing = ends[0]
        reading = ends[1]
        var room: CInt = 4 << 20
        setsockopt(writing, SOL_SOCKET, SO_SNDBUF, &room, socklen_t(MemoryLayout<CInt>.size))
    }

    deinit {
        close(writing)
        close(reading)
    }

    /// All packets that were written, each with its header.
    func packets() -> [[UInt8]] {
        var result: [[UInt8]] = []
        var buffer = [UInt8](repeating: 0, count: 70_000)
        while true {
            let count = recv(reading, &buffer, buffer.count, CInt(MSG_DONTWAIT))
            guard count > 0 else { return result }
            result.append(Array(buffer[..<count]))
        }
    }

    /// Merges packets, all at once, and answers what the queue was handed.
    func merge(_ packets: [[UInt8]], _ ability: PacketMerger.Ability = .tcpAndUDP) -> [[UInt8]] {
        var merger = PacketMerger(queue: writing, ability: ability)
        let places = packets.map { packet in
            let place = UnsafeMutableRawPointer.allocate(byteCount: packet.count, alignment: 1)
            packet.withUnsafeBytes { bytes in
                if let start = bytes.baseAddress {
                    place.copyMemory(from: start, byteCount: packet.count)
                }
            }
            return place
        }
        for (place, packet) in zip(places, packets) { merger.add(place, count: packet.count) }
        merger.flush()
        for place in places { place.deallocate() }
        return self.packets()
    }
}
