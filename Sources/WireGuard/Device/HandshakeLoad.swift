/// Whether so many handshakes come that their senders have to prove where they are.
///
/// Each costs some hundred microseconds of Diffie-Hellman. A thousand peers that come back at
/// once are let through in a few seconds; a flood is answered by cookies (section 5.3).
struct HandshakeLoad {
    /// Handshakes a second that are worked on without asking.
    static let perSecond: Int64 = 200
    /// How many may come at once.
    static let burst: Int64 = 64
    /// How long the load counts as high after it was, in nanoseconds.
    static let lasting = Timings.seconds(1)

    private var budget = HandshakeLoad.burst * Timings.seconds(1)
    private var last = Int64.min
    private var highUntil = Int64.min

    /// Counts a handshake and tells whether the load is high.
    mutating func isHigh(now: Int64) -> Bool {
        if last != .min, now > last {
            let full = Self.burst * Timings.seconds(1)
            let gained = min(now - last, Timings.seconds(1)) * Self.perSecond
            budget = min(full, budget + gained)
        }
        last = now
        if budget >= Timings.seconds(1) {
            budget -= Timings.seconds(1)
        } else {
            highUntil = now + Self.lasting
        }
        return now < highUntil
    }
}
