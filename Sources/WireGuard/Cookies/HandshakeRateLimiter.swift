/// Lets 20 handshake messages a second pass from each network, five at once.
///
/// Instead of counting tokens it keeps for each network when its bucket will be full again: a
/// time in the past is the same as no entry, so that a quarter of a second of silence ends one.
package struct HandshakeRateLimiter {
    /// How many networks are told apart; what comes from one more waits.
    package static let capacity = 4096

    static let interval: UInt64 = 50_000_000
    static let burst: UInt64 = 5

    private var fullAt: [HandshakeSource.Network: UInt64] = [:]
    private var sweepAt: UInt64 = 0

    /// A limiter that has seen nobody, with all the memory it will ever have.
    package init() {
        fullAt.reserveCapacity(Self.capacity)
    }

    /// How many networks it remembers.
    var count: Int { fullAt.count }

    /// Whether one more message may pass; `now` is in nanoseconds of a clock that never goes back.
    package mutating func admits(_ source: HandshakeSource, at now: UInt64) -> Bool {
        let network = source.network
        let known = fullAt[network]
        if known == nil, fullAt.count >= Self.capacity {
            sweep(now)
            guard fullAt.count < Self.capacity else { return false }
        }
        let full = max(known ?? now, now)
        guard full - now <= (Self.burst - 1) * Self.interval else { return false }
        fullAt[network] = full + Self.interval
        return true
    }

    private mutating func sweep(_ now: UInt64) {
        // A flood of addresses must not cost a walk through the table for each of them.
        guard now >= sweepAt else { return }
        sweepAt = now + Self.interval
        fullAt = fullAt.filter { $0.value > now }
    }
}
