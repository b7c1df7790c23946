internal import CCrypto
internal import TunnelModel

/// The owner of 32 secret bytes, which are wiped with it.
///
/// It has no description, and nothing compares two of them except `matches`.
///
/// Sendable is unchecked as it holds a pointer: that has one owner, and its bytes are written
/// before anybody else can read them.
package struct SecretKey: ~Copyable, @unchecked Sendable {
    /// How many bytes a key has.
    package static let byteCount = SecretMemory.slotSize

    let storage: UnsafeMutableRawPointer

    /// A key of zeros: what WireGuard uses where no preshared key was agreed.
    package init() {
        storage = SecretMemory.allocate()
    }

    /// A copy of the 32 bytes at `bytes`.
    package init(copying bytes: UnsafeRawPointer) {
        self.init()
        storage.copyMemory(from: bytes, byteCount: Self.byteCount)
    }

    /// The bytes that `fill` writes, as `getrandom(2)` does; it begins with zeros.
    package init<Failure: Error>(
        filledBy fill: (UnsafeMutableRawBufferPointer) throws(Failure) -> Void
    ) throws(Failure) {
        self.init()
        try fill(UnsafeMutableRawBufferPointer(start: storage, count: Self.byteCount))
    }

    /// The key whose canonical base64 of 44 characters `text` is; nil when it is not.
    package init?(base64 text: UnsafeRawBufferPointer) {
        self.init()
        var key = MutableSpan<UInt8>(
            _unsafeStart: storage.assumingMemoryBound(to: UInt8.self), count: Self.byteCount)
        guard WireGuardKey.decode(text.assumingMemoryBound(to: UInt8.self).span, into: &key) else {
            return nil
        }
    }

    deinit {
        SecretMemory.free(storage)
    }

    /// The 32 bytes, for as long as this owner lives.
    package var pointer: UnsafeRawPointer { UnsafeRawPointer(storage) }

    /// The 32 bytes, for as long as `body` runs.
    package borrowing func withBytes<Result: ~Copyable, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(bytes)
    }

    /// A second owner of the same bytes.
    package borrowing func copy() -> SecretKey {
        SecretKey(copying: storage)
    }

    /// Whether both hold the same bytes, told in a time that depends on neither.
    package borrowing func matches(_ other: borrowing SecretKey) -> Bool {
        CRYPTO_memcmp(storage, other.storage, Self.byteCount) == 0
    }

    var bytePointer: UnsafePointer<UInt8> {
        UnsafePointer(storage.assumingMemoryBound(to: UInt8.self))
    }

    var bytes: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: storage, count: Self.byteCount)
    }
}
