/// Which message counters of a key were seen: a sliding window (RFC 6479).
package struct ReplayWindow: ~Copyable {
    /// How far behind the newest a counter may be.
    package static let size: UInt64 = 8192

    // One word more than the window has: the oldest is cleared as a whole when the newest begins.
    private static let words = Int(size / 64) + 1

    private let bitmap: UnsafeMutablePointer<UInt64>
    /// One more than the newest counter that was accepted.
    private var next: UInt64 = 0

    /// A window that has seen nothing.
    package init() {
        bitmap = .allocate(capacity: Self.words)
        bitmap.initialize(repeating: 0, count: Self.words)
    }

    deinit {
        bitmap.deallocate()
    }

    /// Takes a counter of an authenticated message; false when it was there before or is too old.
    package mutating func accept(_ counter: UInt64) -> Bool {
        if counter >= next {
            advance(to: counter)
        } else if counter &+ Self.size < next {
            return false
        }
        let word = bitmap + Int((counter >> 6) % UInt64(Self.words))
        let bit: UInt64 = 1 << (counter & 63)
        guard word.pointee & bit == 0 else { return false }
        word.pointee |= bit
        return true
    }

    private mutating func advance(to counter: UInt64) {
        let block = counter >> 6
        // Before the first counter there is no block that stays.
        let present = next == 0 ? 0 : (next - 1) >> 6
        let fresh = min(block - present, UInt64(Self.words))
        var index = block
        for _ in 0..<fresh {
            bitmap[Int(index % UInt64(Self.words))] = 0
            index &-= 1
        }
        next = counter + 1
    }
}
