/// The times and limits of the protocol, in nanoseconds (section 6 of the paper).
///
/// They are constants of the protocol; a test shortens them to live through an hour in a moment.
package struct Timings: Equatable, Sendable {
    /// Age at which the initiator of a session begins the next (Rekey-After-Time).
    package var rekeyAfter = Timings.seconds(120)
    /// Age from which a key is used no more (Reject-After-Time).
    package var rejectAfter = Timings.seconds(180)
    /// How long initiations are repeated (Rekey-Attempt-Time).
    package var rekeyAttempt = Timings.seconds(90)
    /// How long an initiation waits for its answer (Rekey-Timeout).
    package var rekeyTimeout = Timings.seconds(5)
    /// How long received data goes unanswered (Keepalive-Timeout).
    package var keepalive = Timings.seconds(10)
    /// The most that is added to the wait for an answer, at random.
    package var jitter = Timings.seconds(1) / 3
    /// Messages after which the initiator begins the next session (Rekey-After-Messages).
    package var rekeyAfterMessages: UInt64 = 1 << 60
    /// Messages after which a key is used no more (Reject-After-Messages).
    package var rejectAfterMessages: UInt64 = .max - (1 << 13)
    /// How close together the initiations of one peer may be answered.
    package var initiationSpacing = Timings.seconds(1) / 50
    /// How long an initiation goes unanswered before the peer counts as lost.
    package var unansweredAfter = Timings.seconds(15)
    /// The rest after a round of initiations that nobody answered.
    package var restAfterAttempts = Timings.seconds(10)

    package init() {}

    /// How many times an initiation is repeated.
    package var attempts: Int { Int(rekeyAttempt / rekeyTimeout) }

    /// So many seconds in nanoseconds.
    package static func seconds(_ count: Int64) -> Int64 { count * 1_000_000_000 }
}
