package import TunnelModel

/// A WireGuard interface without its input and output: peers, sessions, timers.
///
/// Messages, packets, the time (CLOCK_BOOTTIME in nanoseconds), the wall clock and random bytes
/// come in; messages to be sent go out through `outgoing`. To be used by one thread.
///
///     packet for a peer ──> route ──> seal ──> message         (Device+Sending)
///     message ──> receive ──> packet, or a step of a handshake  (Device+Receiving)
///     time ──> tick ──> repeated initiations, keepalives        (Device+Timers)
package struct Device: ~Copyable {
    /// A message that the device itself wants to be sent.
    package struct OutgoingMessage {
        package let endpoint: Endpoint
        package let peer: Int32
        package let bytes: [UInt8]
    }

    /// Where random bytes and the time of day come from.
    package struct Environment {
        /// Fills memory with random bytes.
        package let random: (UnsafeMutableRawBufferPointer) -> Void
        /// Nanoseconds since 1970.
        package let wallClock: () -> Int64

        package init(
            random: @escaping (UnsafeMutableRawBufferPointer) -> Void,
            wallClock: @escaping () -> Int64
        ) {
            self.random = random
            self.wallClock = wallClock
        }
    }

    /// What of the traffic came to nothing.
    package struct Drops: Equatable, Sendable {
        /// Packets for an address that is no peer's.
        package var unrouted: UInt64 = 0
        /// Messages that are none of the protocol, or whose index nobody knows.
        package var unknown: UInt64 = 0
        /// Messages that do not authenticate.
        package var forged: UInt64 = 0
        /// Messages that were there before, or are too old.
        package var replayed: UInt64 = 0
        /// Packets with a source for which the peer may not speak.
        package var foreignSource: UInt64 = 0
        /// Handshakes refused under load or because they came too fast.
        package var limited: UInt64 = 0
    }

    package let local: LocalIdentity
    package let timings: Timings
    package let environment: Environment
    let cipher: PacketCipher
    let cookieChecker: CookieChecker
    var rateLimiter = HandshakeRateLimiter()
    var load = HandshakeLoad()

    var peers: UnsafeMutablePointer<Peer>
    /// How many places for peers there are; they are numbered from 0.
    private(set) var peerCount = 0
    /// The places whose peers were removed, to be given to others.
    var vacant: [Int32] = []
    /// Whom such a place stands for meanwhile: this device, which no message comes from.
    var nobody: RemoteIdentity?
    private var capacity = 4
    var peerByKey: [PublicKey: Int32] = [:]
    var indices = IndexTable()
    var allowed = AllowedAddresses()

    /// Nanoseconds since 1970 of the last initiation.
    var lastTimestamp: Int64 = 0
    private var jitterState: UInt64 = 0

    /// Messages to be sent, to be taken after each call.
    package var outgoing: [OutgoingMessage] = []
    /// Whether a peer was proved, lost or moved since it was last looked.
    package var hasNews = false
    package internal(set) var drops = Drops()
    /// The first moment at which `tick` has something to do.
    package internal(set) var nextTick = PeerTimers.never

    /// An interface without peers.
    package init(
        _ local: LocalIdentity,
        timings: Timings = Timings(),
        environment: Environment
    ) throws(CryptographyError) {
        self.local = local
        // One of its own: what each packet uses is reached without a reference.
        cipher = try PacketCipher()
        self.timings = timings
        self.environment = environment
        cookieChecker = CookieChecker(local: local)
        peers = .allocate(capacity: 4)
        withUnsafeMutableBytes(of: &jitterState) { environment.random($0) }
        jitterState |= 1
    }

    deinit {
        for index in 0..<peerCount {
            for keypair in [peers[index].current, peers[index].previous, peers[index].next] {
                keypair?.deinitialize(count: 1)
                keypair?.deallocate()
            }
        }
        peers.deinitialize(count: peerCount)
        peers.deallocate()
    }

    /// Adds a peer and answers its number; a second one with the same key is none.
    package mutating func addPeer(
        _ remote: RemoteIdentity,
        allowedAddresses: [IPPrefix],
        persistentKeepalive: Int64 = 0,
        livenessInterval: Int64 = 0
    ) -> Int32? {
        guard peerByKey[remote.publicKey] == nil else { return nil }
        let number = place(Peer(remote))
        peerByKey[remote.publicKey] = number
        let peer = peers + Int(number)
        peer.pointee.persistentKeepalive = persistentKeepalive
        peer.pointee.livenessInterval = livenessInterval
        for prefix in allowedAddresses { allowed.insert(prefix, peer: number) }
        return number
    }

    /// Puts a peer where another was, or behind all others.
    private mutating func place(_ peer: consuming Peer) -> Int32 {
        if let number = vacant.popLast() {
            peers[Int(number)] = peer
            return number
        }
        if peerCount == capacity {
            let larger = UnsafeMutablePointer<Peer>.allocate(capacity: capacity * 2)
            larger.moveInitialize(from: peers, count: peerCount)
            peers.deallocate()
            peers = larger
            capacity *= 2
        }
        (peers + peerCount).initialize(to: peer)
        peerCount += 1
        return Int32(peerCount - 1)
    }

    /// Whether an address is some peer's inside the tunnel: a packet to it may come back in.
    package func isAllowed(_ endpoint: Endpoint) -> Bool {
        let number = endpoint.address.number
        let owner =
            endpoint.isIPv6
            ? allowed.peer(
                ofV6: AllowedAddresses.Key(
                    high: UInt64(truncatingIfNeeded: number >> 64),
                    low: UInt64(truncatingIfNeeded: number)))
            : allowed.peer(ofV4: AllowedAddresses.Key(v4: UInt32(truncatingIfNeeded: number)))
        return owner >= 0
    }

    /// Looks at a peer.
    package func withPeer<Value>(_ number: Int32, _ body: (borrowing Peer) -> Value) -> Value {
        body(peers[Int(number)])
    }

    /// Says at which addresses a peer may be found; one where it is heard is kept.
    package mutating func setCandidates(_ endpoints: [Endpoint], of number: Int32) {
        let peer = peers + Int(number)
        peer.pointee.candidates = endpoints
        peer.pointee.candidate = 0
        guard let first = endpoints.first else { return }
        if peer.pointee.hasEndpoint {
            guard peer.pointee.unansweredSince != nil else { return }
            if endpoints.contains(peer.pointee.endpoint.withoutLocal) { return }
        }
        peer.pointee.endpoint = first
        peer.pointee.hasEndpoint = true
        hasNews = true
    }

    /// Forgets where a peer was spoken to from, as nothing can be sent from there.
    package mutating func forgetLocalAddress(of number: Int32) {
        peers[Int(number)].endpoint = peers[Int(number)].endpoint.withoutLocal
    }

    /// Begins a handshake with a peer whose address is known, and keeps looking for it.
    package mutating func connect(_ number: Int32, now: Int64) {
        let peer = peers + Int(number)
        if peer.pointee.persistentKeepalive > 0 {
            schedule(&peer.pointee.timers.persistent, now + peer.pointee.persistentKeepalive)
        }
        initiate(number, now: now)
    }

    /// Sets a timer, and sees that it is not slept through.
    @inline(__always)
    mutating func schedule(_ timer: inout Int64, _ moment: Int64) {
        timer = moment
        if moment < nextTick { nextTick = moment }
    }

    /// A random number of nanoseconds that keeps peers from speaking all at once.
    ///
    /// It is no secret, and is needed with every turn of a conversation: no reason to ask the
    /// kernel (xorshift64, Marsaglia 2003).
    mutating func jitter() -> Int64 {
        jitterState ^= jitterState << 13
        jitterState ^= jitterState >> 7
        jitterState ^= jitterState << 17
        return Int64(jitterState >> 33) % max(1, timings.jitter)
    }
}
