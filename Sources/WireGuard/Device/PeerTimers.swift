/// The timers of one peer: moments of CLOCK_BOOTTIME in nanoseconds, `never` when not running.
struct PeerTimers {
    static let never = Int64.max

    /// An initiation has waited long enough for its answer.
    var retransmit = never
    /// Received data has to be answered, if by nothing else then by a keepalive.
    var keepalive = never
    /// Sent data was answered by nothing.
    var silence = never
    /// Keys have to be forgotten.
    var forget = never
    /// The keepalive that the configuration asks for.
    var persistent = never
    /// The proof that the peer lives has to be renewed.
    var liveness = never
    /// An initiation has gone unanswered for so long that the peer counts as lost.
    var unanswered = never

    /// More data came while a keepalive was already due.
    var anotherKeepalive = false

    /// The first moment at which something is due.
    var next: Int64 {
        min(
            min(min(retransmit, keepalive), min(silence, forget)),
            min(min(persistent, liveness), unanswered))
    }
}
