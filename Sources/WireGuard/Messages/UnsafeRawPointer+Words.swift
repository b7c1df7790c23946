extension UnsafeRawPointer {
    /// The number of 32 bits at an offset that needs no alignment.
    func littleEndianWord(at offset: Int) -> UInt32 {
        UInt32(littleEndian: loadUnaligned(fromByteOffset: offset, as: UInt32.self))
    }

    /// The bytes from an offset on.
    func bytes(at offset: Int, count: Int) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: self + offset, count: count)
    }
}

extension UnsafeMutableRawPointer {
    /// Writes a number of 32 bits to an offset that needs no alignment.
    func storeLittleEndianWord(_ word: UInt32, at offset: Int) {
        storeBytes(of: word.littleEndian, toByteOffset: offset, as: UInt32.self)
    }
}
