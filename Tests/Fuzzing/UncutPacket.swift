@testable import WireGuardTunnel

/// Takes packets of the TUN with their header: what is to be cut, is.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzUncutPacket(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    // Nothing shorter comes to be cut.
    guard let start, count >= OffloadHeader.byteCount + 20 else { return 0 }
    let header = OffloadHeader(start)
    let packet = UnsafeRawPointer(start) + OffloadHeader.byteCount
    let length = count - OffloadHeader.byteCount
    guard length >= (packet.byte(0) >> 4 == 6 ? 40 : 20),
        let cutter = PacketCutter(packet, count: length, header)
    else { return 0 }
    for index in 0..<cutter.segments {
        precondition(cutter.length(of: index) <= cutter.longestSegment)
        let place = UnsafeMutableRawPointer.allocate(
            byteCount: cutter.length(of: index), alignment: 1)
        cutter.write(index, to: place)
        place.deallocate()
    }
    return 0
}
