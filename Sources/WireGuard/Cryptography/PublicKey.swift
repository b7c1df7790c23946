internal import TunnelModel

/// An X25519 public key.
package struct PublicKey: Hashable, Sendable {
    /// How many bytes a key has.
    package static let byteCount = WireGuardKey.byteCount

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
        let key = WireGuardKey.decode(text.utf8)?.withUnsafeBytes { bytes in
            bytes.baseAddress.map { PublicKey($0) }
        }
        guard let key = key ?? nil else { return nil }
        self = key
    }

    /// The key in base64: 44 characters.
    package var base64: String {
        WireGuardKey.encode(
            withBytes { Array(UnsafeRawBufferPointer(start: $0, count: Self.byteCount)) })
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
