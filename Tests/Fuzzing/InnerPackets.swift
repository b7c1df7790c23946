import Glibc

@testable import WireGuardTunnel

/// Takes packets that a peer may have sealed: as they come in a batch, to be merged.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzInnerPackets(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    var merger = PacketMerger(queue: nowhere, ability: .tcpAndUDP)
    var packets: [UnsafeMutableRawPointer] = []
    defer { packets.forEach { $0.deallocate() } }
    var rest = UnsafeRawBufferPointer(start: start, count: count)[...]
    // Each packet has memory of its own, so that a read beyond its end is seen.
    while let length = rest.popFirst(), !rest.isEmpty {
        let bytes = rest.prefix(Int(length) + 20)
        rest = rest.dropFirst(bytes.count)
        // Nothing shorter than a header passes the check of its source.
        guard bytes.count >= (bytes.first.map { $0 >> 4 } == 6 ? 40 : 20) else { continue }
        let packet = UnsafeMutableRawPointer.allocate(byteCount: bytes.count, alignment: 1)
        UnsafeMutableRawBufferPointer(start: packet, count: bytes.count).copyBytes(from: bytes)
        packets.append(packet)
        merger.add(packet, count: bytes.count)
    }
    merger.flush()
    return 0
}

private let nowhere = open("/dev/null", O_WRONLY)
