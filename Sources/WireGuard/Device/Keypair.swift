/// The keys of one session in both directions, and what was done with them.
struct Keypair: ~Copyable {
    let keys: TransportKeys
    let peer: Int32
    let localIndex: UInt32
    let remoteIndex: UInt32
    let isInitiator: Bool
    /// CLOCK_BOOTTIME, in nanoseconds.
    let created: Int64
    /// The counter of the next message.
    var nextCounter: UInt64 = 0
    var replay = ReplayWindow()

    func isUsable(now: Int64, _ timings: Timings) -> Bool {
        now - created < timings.rejectAfter && nextCounter < timings.rejectAfterMessages
    }
}

/// A keypair at a place that stays, so that tables and peers can point to it.
typealias KeypairPointer = UnsafeMutablePointer<Keypair>
