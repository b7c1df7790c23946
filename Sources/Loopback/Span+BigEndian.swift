// The loads are called unsafe for types in which not all bits are values; integers have none, and
// the offset is checked.

extension RawSpan {
    /// Reads a 16-bit number in network order.
    func word(at offset: Int) -> UInt16 {
        UInt16(bigEndian: unsafeLoadUnaligned(fromByteOffset: offset, as: UInt16.self))
    }

    /// Reads a 32-bit number in network order.
    func load32(at offset: Int) -> UInt32 {
        UInt32(bigEndian: unsafeLoadUnaligned(fromByteOffset: offset, as: UInt32.self))
    }

    /// Reads a 128-bit number in network order.
    func load128(at offset: Int) -> UInt128 {
        UInt128(bigEndian: unsafeLoadUnaligned(fromByteOffset: offset, as: UInt128.self))
    }
}

extension MutableSpan<UInt8> {
    /// Writes a number in network order.
    mutating func store<Number: FixedWidthInteger>(_ number: Number, at offset: Int) {
        var rest = number
        var position = offset + Number.bitWidth / 8
        while position > offset {
            position -= 1
            self[position] = UInt8(truncatingIfNeeded: rest)
            rest >>= 8
        }
    }
}
