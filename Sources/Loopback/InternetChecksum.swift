internal import ProviderKit

/// The checksum of IP, ICMP and UDP: the complement of a one's complement sum (RFC 1071).
package struct InternetChecksum: Equatable, Sendable {
    /// The sum of 16-bit words as they lie in memory: the order of the bytes does not affect the
    /// sum but for being that of the result, so only the result is swapped (RFC 1071, 2).
    private var sum: UInt64 = 0

    /// Starts with nothing added.
    package init() {}

    /// Adds bytes; all pieces but the last must be of even length.
    package mutating func add(_ bytes: RawSpan) {
        bytes.withUnsafeBytes { bytes in
            if let start = bytes.baseAddress { sum &+= PacketSum.of(start, count: bytes.count) }
        }
    }

    /// Adds a number as the 16-bit word it is on the wire.
    package mutating func add(word: UInt16) {
        sum &+= UInt64(word.bigEndian)
    }

    /// The checksum of what was added, the field itself counted as zero or left out.
    package var value: UInt16 {
        ~UInt16(bigEndian: PacketSum.fold(sum))
    }

    /// Whether what was added, the checksum included, is intact.
    package var isIntact: Bool {
        PacketSum.fold(sum) == 0xFFFF
    }
}
