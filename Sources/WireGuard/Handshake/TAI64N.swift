/// The time of an initiation as the protocol has it, by which a replayed one is told.
package struct TAI64N: Comparable, Hashable, Sendable {
    /// How many bytes it has.
    package static let byteCount = 12

    /// How many nanoseconds lie between timestamps that differ.
    static let step: Int64 = 1 << 24

    /// The second, beginning at 2^62 for the year 1970 of TAI.
    private let seconds: UInt64

    /// The nanosecond within the second.
    private let nanoseconds: UInt32

    /// The timestamp for nanoseconds since 1970 by the wall clock, in steps of 16.8 ms.
    ///
    /// Exact ones would tell the load of this machine to whoever can read them.
    package init(unixNanoseconds: UInt64) {
        seconds = 0x4000_0000_0000_000a + unixNanoseconds / 1_000_000_000
        nanoseconds = UInt32(unixNanoseconds % 1_000_000_000) & ~UInt32(Self.step - 1)
    }

    /// The timestamp in 12 bytes.
    package init(_ bytes: UnsafeRawPointer) {
        seconds = UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self))
        nanoseconds = UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt32.self))
    }

    /// Writes the 12 bytes.
    package func write(to bytes: UnsafeMutableRawPointer) {
        bytes.storeBytes(of: seconds.bigEndian, as: UInt64.self)
        bytes.storeBytes(of: nanoseconds.bigEndian, toByteOffset: 8, as: UInt32.self)
    }

    /// Orders by time.
    package static func < (left: TAI64N, right: TAI64N) -> Bool {
        (left.seconds, left.nanoseconds) < (right.seconds, right.nanoseconds)
    }
}
