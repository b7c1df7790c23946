/// An X25519 public key.
package struct PublicKey: Hashable, Sendable {
    /// How many bytes a key has.
    package static let byteCount = 32

    // Words rather than an array: a key is compared, hashed and copied without allocation.
    private let words: SIMD4<UInt64>

    /// The key of the 32 bytes at `bytes`.
    package init(_ bytes: UnsafeRawPointer) {
        words = SIMD4(
            bytes.loadUnaligned(as: UInt64.self),
            bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self),
            bytes.loadUnaligned(fromByteOffset: 16, as: UInt64.self),
            bytes.loadUnaligned(fromByteOffset: 24, as: UInt64.self)
        )
    }

    /// The key whose canonical base64 of 44 characters `text` is; nil when it is not.
    package init?(base64 text: String) {
        var text = text
        let words: SIMD4<UInt64>? = text.withUTF8 { characters in
            var words = SIMD4<UInt64>()
            let isKey = withUnsafeMutableBytes(of: &words) { bytes in
                bytes.baseAddress.map {
                    KeyText.decode(UnsafeRawBufferPointer(characters), into: $0)
                } ?? false
            }
            return isKey ? words : nil
        }
        guard let words else { return nil }
        self.words = words
    }

    /// The key in base64: 44 characters.
    package var base64: String {
        String(unsafeUninitializedCapacity: KeyText.count) { text in
            withBytes {
                KeyText.encode(
                    $0,
                    into: UnsafeMutableRawBufferPointer(
                        rebasing: UnsafeMutableRawBufferPointer(text)[..<KeyText.count]))
            }
            return KeyText.count
        }
    }

    /// Writes the 32 bytes.
    package func write(to bytes: UnsafeMutableRawPointer) {
        withBytes { bytes.copyMemory(from: $0, byteCount: Self.byteCount) }
    }

    /// Gives the 32 bytes to `body`.
    package func withBytes<Result, Failure: Error>(
        _ body: (UnsafeRawPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        var words = words
        return try withUnsafePointer(to: &words) { pointer throws(Failure) in
            try body(UnsafeRawPointer(pointer))
        }
    }
}
