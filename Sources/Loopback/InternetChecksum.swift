/// The checksum of IP, ICMP and UDP: the complement of a one's complement sum (RFC 1071).
package struct InternetChecksum: Equatable, Sendable {
    /// The sum of 16-bit words as they lie in memory: the order of the bytes does not affect the
    /// sum but for being that of the result, so only the result is swapped (RFC 1071, 2).
    private var sum: UInt64 = 0

    /// Starts with nothing added.
    package init() {}

    /// Adds bytes; all pieces but the last must be of even length.
    package mutating func add(_ bytes: RawSpan) {
        var offset = 0
        // Four bytes at a time: 2^16 = 1 modulo the sum's 2^16 - 1, and 64 bits hold the carries
        // of 2^32 such words.
        while bytes.byteCount - offset >= 4 {
            sum &+= UInt64(bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt32.self))
            offset += 4
        }
        if bytes.byteCount - offset >= 2 {
            sum &+= UInt64(bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt16.self))
            offset += 2
        }
        if bytes.byteCount - offset == 1 {
            let last = bytes.unsafeLoad(fromByteOffset: offset, as: UInt8.self)
            sum &+= UInt64(UInt16(littleEndian: UInt16(last)))
        }
    }

    /// Adds a number as the 16-bit word it is on the wire.
    package mutating func add(word: UInt16) {
        sum &+= UInt64(word.bigEndian)
    }

    /// The checksum of what was added, the field itself counted as zero or left out.
    package var value: UInt16 {
        ~UInt16(bigEndian: folded)
    }

    /// Whether what was added, the checksum included, is intact.
    package var isIntact: Bool {
        folded == 0xFFFF
    }

    private var folded: UInt16 {
        var folded = sum
        while folded > 0xFFFF { folded = (folded & 0xFFFF) + (folded >> 16) }
        return UInt16(folded)
    }
}
