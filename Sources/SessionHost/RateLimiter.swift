internal import LinuxSystem

/// Lets so many through each second, and counts the rest.
struct RateLimiter {
    private let perSecond: Int
    private var second: Int64 = 0
    private var used = 0
    /// How many were held back since anybody asked.
    private(set) var suppressed = 0

    init(perSecond: Int) {
        self.perSecond = perSecond
    }

    /// Whether one more may pass now.
    mutating func admits() -> Bool {
        let now = Clock.monotonicNanoseconds / 1_000_000_000
        if now != second {
            second = now
            used = 0
        }
        guard used < perSecond else {
            suppressed += 1
            return false
        }
        used += 1
        return true
    }

    /// The number of those held back, which starts anew.
    mutating func takeSuppressed() -> Int {
        defer { suppressed = 0 }
        return suppressed
    }
}
