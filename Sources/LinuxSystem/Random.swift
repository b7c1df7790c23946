import CLinux

/// Random bytes of the kernel.
package enum Random {
    /// So many bytes, at most 256.
    ///
    /// Corresponds to `getrandom(2)`.
    package static func bytes(_ count: Int) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        // Up to 256 bytes come whole and uninterrupted (getrandom(2), NOTES).
        let length = getrandom(&bytes, count, 0)
        precondition(length == count, "getrandom failed")
        return bytes
    }

    /// Fills memory with random bytes.
    package static func fill(_ buffer: UnsafeMutableRawBufferPointer) {
        var filled = 0
        while filled < buffer.count {
            let count = min(256, buffer.count - filled)
            // Up to 256 bytes come whole and uninterrupted (getrandom(2), NOTES).
            let length = getrandom(buffer.baseAddress.map { $0 + filled }, count, 0)
            precondition(length == count, "getrandom failed")
            filled += count
        }
    }
}
