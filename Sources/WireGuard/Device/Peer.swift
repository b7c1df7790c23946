/// One peer: its keys, where it is, its sessions and its timers.
///
/// It lives at one place in memory for as long as the device, and what each packet touches of
/// it has no references, so that nothing is counted on the way.
package struct Peer: ~Copyable {
    var remote: RemoteIdentity
    let signer: MessageSigner
    var timers = PeerTimers()

    // Sessions: the one to send with, the one before, and one that a peer has yet to use.
    var current: KeypairPointer?
    var previous: KeypairPointer?
    var next: KeypairPointer?

    // The handshake that waits for its answer.
    var handshake: InitiatorHandshake?
    var attempts = 0
    var lastInitiation = Int64.min
    var askedLastMinute = false
    /// When the first initiation went out that is still unanswered.
    var unansweredSince: Int64?

    // What was received of the peer's own handshakes.
    var newestTimestamp: TAI64N?
    var lastReceivedInitiation = Int64.min

    var staged = StagedPackets()
    /// The addresses that the configuration gives, to be tried in turn.
    var candidates: [Endpoint] = []
    var candidate = 0

    /// Nanoseconds between keepalives; 0 for none.
    package internal(set) var persistentKeepalive: Int64 = 0
    /// Nanoseconds between proofs that the peer lives; 0 leaves it to the traffic.
    package internal(set) var livenessInterval: Int64 = 0
    /// Where the peer was last heard, or is looked for.
    package internal(set) var endpoint = Endpoint()
    package internal(set) var hasEndpoint = false
    /// Bytes of messages received and sent, handshakes included.
    package internal(set) var receivedBytes: UInt64 = 0
    package internal(set) var sentBytes: UInt64 = 0
    /// When the last handshake was completed, by CLOCK_BOOTTIME in nanoseconds.
    package internal(set) var lastHandshake: Int64?
    /// When the peer last proved that it lives, by CLOCK_BOOTTIME in nanoseconds.
    package internal(set) var lastVerified: Int64?
    /// Answers that somebody gave who knows our key, and that did not open.
    package internal(set) var unopenedAnswers: UInt64 = 0
    /// An initiation has gone unanswered for too long.
    package internal(set) var isUnanswered = false

    init(_ remote: RemoteIdentity) {
        self.remote = remote
        signer = MessageSigner(for: remote)
    }

    /// Who the peer is.
    package var publicKey: PublicKey { remote.publicKey }

    /// Whether the peer has answered and still does.
    package var isProven: Bool { lastVerified != nil && !isUnanswered }

    /// Whether an initiation had to be repeated and is still unanswered.
    package var isRepeating: Bool { unansweredSince != nil && attempts > 0 }
}
