import WireGuard

/// The bytes that a text of hexadecimal digits, with any spaces, stands for.
func bytes(_ hex: String) -> [UInt8] {
    let digits = hex.compactMap(\.hexDigitValue)
    return stride(from: 0, to: digits.count - 1, by: 2).map {
        UInt8(digits[$0] << 4 | digits[$0 + 1])
    }
}

/// The digits of these bytes.
func hex(_ bytes: some Sequence<UInt8>) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
}

extension SecretKey {
    /// A key of known bytes.
    init(_ bytes: [UInt8]) {
        self.init { key in
            for (index, byte) in bytes.enumerated() { key[index] = byte }
        }
    }

    /// A key of one byte over and over.
    init(repeating byte: UInt8) {
        self.init([UInt8](repeating: byte, count: Self.byteCount))
    }

    /// What no program may ask for, except a test.
    var revealed: [UInt8] {
        withBytes { Array($0) }
    }
}

extension PublicKey {
    /// The key of 32 known bytes.
    init(_ bytes: [UInt8]) {
        precondition(bytes.count == Self.byteCount)
        self = bytes.withUnsafeBytes { buffer in
            withUnsafeTemporaryAllocation(byteCount: Self.byteCount, alignment: 1) { copy in
                copy.copyMemory(from: buffer)
                return PublicKey(copy.baseAddress.unsafelyUnwrapped)
            }
        }
    }

    var revealed: [UInt8] {
        withBytes { Array(UnsafeRawBufferPointer(start: $0, count: Self.byteCount)) }
    }
}

/// Random bytes that are the same in each run.
struct Dice {
    private var state: UInt64

    init(_ seed: UInt64) {
        state = seed
    }

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var word = (state ^ state >> 30) &* 0xbf58_476d_1ce4_e5b9
        word = (word ^ word >> 27) &* 0x94d0_49bb_1331_11eb
        return word ^ word >> 31
    }

    mutating func bytes(_ count: Int) -> [UInt8] {
        (0..<count).map { _ in UInt8(truncatingIfNeeded: next()) }
    }
}
