/// One's complement sums of 16-bit words as they lie in memory (RFC 1071).
///
/// The order of the bytes matters to the result only, so numbers go in and out as they are on
/// the wire. Sums of a whole packet fit 64 bits without carry.
package enum PacketSum {
    /// The sum of bytes; an odd one at the end counts as if a zero followed.
    package static func of(_ bytes: UnsafeRawPointer, count: Int) -> UInt64 {
        var sums = SIMD4<UInt64>()
        var offset = 0
        while offset &+ 32 <= count {
            let words = bytes.loadUnaligned(fromByteOffset: offset, as: SIMD4<UInt64>.self)
            sums &+= (words & 0xFFFF_FFFF) &+ (words &>> 32)
            offset &+= 32
        }
        return sums.wrappedSum() &+ tail(bytes, offset, count)
    }

    /// Copies bytes and answers their sum.
    package static func copy(
        _ bytes: UnsafeRawPointer, to target: UnsafeMutableRawPointer, count: Int
    ) -> UInt64 {
        var sums = SIMD4<UInt64>()
        var offset = 0
        while offset &+ 32 <= count {
            let words = bytes.loadUnaligned(fromByteOffset: offset, as: SIMD4<UInt64>.self)
            target.storeBytes(of: words, toByteOffset: offset, as: SIMD4<UInt64>.self)
            sums &+= (words & 0xFFFF_FFFF) &+ (words &>> 32)
            offset &+= 32
        }
        if offset < count {
            (target + offset).copyMemory(from: bytes + offset, byteCount: count &- offset)
        }
        return sums.wrappedSum() &+ tail(bytes, offset, count)
    }

    /// The sum of the pseudo header of an IP packet, but for the length of the transport part.
    package static func pseudo(_ packet: UnsafeRawPointer, isIPv6: Bool, transport: UInt8) -> UInt64
    {
        let kind = UInt64(UInt16(transport).bigEndian)
        return isIPv6 ? of(packet + 8, count: 32) &+ kind : of(packet + 12, count: 8) &+ kind
    }

    /// A length as it counts in a pseudo header.
    package static func length(_ count: Int) -> UInt64 {
        UInt64(UInt16(truncatingIfNeeded: count).bigEndian)
    }

    /// A sum in 16 bits, as it lies in memory.
    package static func fold(_ sum: UInt64) -> UInt16 {
        var sum = (sum & 0xFFFF_FFFF) &+ (sum >> 32)
        sum = (sum & 0xFFFF) &+ (sum >> 16)
        sum = (sum & 0xFFFF) &+ (sum >> 16)
        return UInt16(truncatingIfNeeded: (sum & 0xFFFF) &+ (sum >> 16))
    }

    @inline(__always)
    private static func tail(_ bytes: UnsafeRawPointer, _ start: Int, _ count: Int) -> UInt64 {
        var offset = start
        var sum: UInt64 = 0
        while offset &+ 4 <= count {
            sum &+= UInt64(bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
            offset &+= 4
        }
        if offset &+ 2 <= count {
            sum &+= UInt64(bytes.loadUnaligned(fromByteOffset: offset, as: UInt16.self))
            offset &+= 2
        }
        if offset < count {
            let last = UInt16(bytes.load(fromByteOffset: offset, as: UInt8.self))
            sum &+= UInt64(UInt16(littleEndian: last))
        }
        return sum
    }
}
