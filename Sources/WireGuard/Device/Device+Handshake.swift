extension Device {
    /// Begins a handshake, unless one was begun just now or nobody knows where the peer is.
    mutating func initiate(_ number: Int32, now: Int64, isRepetition: Bool = false) {
        let peer = peers + Int(number)
        guard peer.pointee.hasEndpoint else { return }
        if !isRepetition {
            guard peer.pointee.timers.retransmit == PeerTimers.never else { return }
            // Not for a stream of packets either.
            let last = peer.pointee.lastInitiation
            guard last == .min || now - last >= timings.rekeyTimeout else { return }
            peer.pointee.attempts = 0
        }
        forgetHandshake(peer)
        let index = newIndex()
        let message = HandshakeBuffer(count: InitiationMessage.byteCount)
        guard let handshake = beginHandshake(with: peer.pointee.remote, index, message) else {
            return
        }
        peer.pointee.signer.sign(message.bytes, at: UInt64(now))
        peer.pointee.handshake = handshake
        peer.pointee.lastInitiation = now
        indices.insert(index, peer: number, nil)
        send(message.message(), to: number)
        authenticatedPacket(peer, now: now)
        schedule(&peer.pointee.timers.retransmit, now + timings.rekeyTimeout + jitter())
        if peer.pointee.unansweredSince == nil {
            peer.pointee.unansweredSince = now
            schedule(&peer.pointee.timers.unanswered, now + timings.unansweredAfter)
        }
    }

    /// The address at which a peer was looked for cannot be reached: tries the next one.
    package mutating func unreachable(_ number: Int32, now: Int64) {
        let peer = peers + Int(number)
        // Once for each address of an attempt; the repetition comes later.
        guard peer.pointee.handshake != nil,
            peer.pointee.candidate + 1 < peer.pointee.candidates.count
        else { return }
        useNextCandidate(peer)
        initiate(number, now: now, isRepetition: true)
    }

    /// The way to a peer has changed: forgets from where it was spoken to and, if it is one to
    /// be sought, speaks to it at once, so that it learns where this side is now.
    ///
    /// The sessions stay: what they carry is good from any address.
    package mutating func pathChanged(_ number: Int32, seeks: Bool, now: Int64) {
        let peer = peers + Int(number)
        peer.pointee.endpoint = peer.pointee.endpoint.withoutLocal
        guard seeks, peer.pointee.hasEndpoint else { return }
        // A handshake that was under way may have been lost on the old one.
        peer.pointee.attempts = 0
        initiate(number, now: now, isRepetition: true)
    }

    /// Takes the answer to an initiation.
    mutating func receive(_ response: ResponseMessage, from endpoint: Endpoint, now: Int64) {
        guard let entry = indices.find(response.receiver), entry.pointee.keypair == nil else {
            return drops.unknown &+= 1
        }
        let number = entry.pointee.peer
        let peer = peers + Int(number)
        guard let handshake = peer.pointee.handshake else { return drops.unknown &+= 1 }
        // A forged answer leaves the handshake as it was, which waits for the true one.
        guard let keys = try? handshake.finish(with: response) else {
            peer.pointee.unopenedAnswers &+= 1
            return drops.forged &+= 1
        }
        forgetHandshake(peer)
        received(ResponseMessage.byteCount, by: peer, from: endpoint)
        let keypair = makeKeypair(
            keys, number, local: handshake.sender, remote: response.sender, isInitiator: true,
            now: now)
        if let next = peer.pointee.next {
            free(peer.pointee.previous)
            free(peer.pointee.current)
            peer.pointee.previous = next
            peer.pointee.next = nil
        } else {
            free(peer.pointee.previous)
            peer.pointee.previous = peer.pointee.current
        }
        peer.pointee.current = keypair
        authenticatedPacket(peer, now: now)
        sessionDerived(peer, now: now)
        handshakeCompleted(number, now: now)
        // The responder uses the session when it has heard of it.
        sendStaged(number, confirm: true, now: now)
    }

    /// Answers an initiation.
    mutating func receive(_ initiation: InitiationMessage, from endpoint: Endpoint, now: Int64) {
        guard let received = try? ReceivedInitiation(opening: initiation, at: local) else {
            return drops.forged &+= 1
        }
        guard let number = peerByKey[received.claimedKey] else { return drops.unknown &+= 1 }
        let peer = peers + Int(number)
        guard let authentic = try? received.authenticate(as: peer.pointee.remote) else {
            return drops.forged &+= 1
        }
        if let newest = peer.pointee.newestTimestamp, authentic.timestamp <= newest {
            return drops.replayed &+= 1
        }
        let last = peer.pointee.lastReceivedInitiation
        guard last == .min || now - last >= timings.initiationSpacing else {
            return drops.limited &+= 1
        }
        peer.pointee.newestTimestamp = authentic.timestamp
        peer.pointee.lastReceivedInitiation = now
        self.received(InitiationMessage.byteCount, by: peer, from: endpoint)
        respond(to: authentic, number, now: now)
    }

    private mutating func respond(
        to initiation: consuming AuthenticatedInitiation, _ number: Int32, now: Int64
    ) {
        let peer = peers + Int(number)
        let index = newIndex()
        let remoteIndex = initiation.sender
        let message = HandshakeBuffer(count: ResponseMessage.byteCount)
        let seed = SecretKey(filledBy: environment.random)
        guard
            let keys = try? initiation.respond(sender: index, seed: seed, writing: message.start)
        else { return drops.forged &+= 1 }
        peer.pointee.signer.sign(message.bytes, at: UInt64(now))
        free(peer.pointee.next)
        free(peer.pointee.previous)
        peer.pointee.previous = nil
        peer.pointee.next = makeKeypair(
            keys, number, local: index, remote: remoteIndex, isInitiator: false, now: now)
        sessionDerived(peer, now: now)
        authenticatedPacket(peer, now: now)
        send(message.message(), to: number)
    }

    /// Takes a cookie, which the next initiation will carry.
    mutating func receive(_ reply: CookieReplyMessage, now: Int64) {
        guard let entry = indices.find(reply.receiver) else { return drops.unknown &+= 1 }
        let peer = peers + Int(entry.pointee.peer)
        if !peer.pointee.signer.accept(reply, at: UInt64(now)) { drops.forged &+= 1 }
    }

    /// A session is usable in both directions.
    mutating func handshakeCompleted(_ number: Int32, now: Int64) {
        let peer = peers + Int(number)
        peer.pointee.timers.retransmit = PeerTimers.never
        peer.pointee.attempts = 0
        peer.pointee.askedLastMinute = false
        peer.pointee.lastHandshake = now
        hasNews = true
        verified(peer, now: now)
    }

    /// The peer has proved that it lives.
    @inline(__always)
    mutating func verified(_ peer: UnsafeMutablePointer<Peer>, now: Int64) {
        if peer.pointee.lastVerified == nil { hasNews = true }
        peer.pointee.lastVerified = now
        if peer.pointee.unansweredSince != nil { answered(peer) }
        if peer.pointee.livenessInterval > 0, peer.pointee.timers.liveness == PeerTimers.never {
            schedule(&peer.pointee.timers.liveness, now + peer.pointee.livenessInterval)
        }
    }

    /// Forgets the handshake that waits for its answer.
    mutating func forgetHandshake(_ peer: UnsafeMutablePointer<Peer>) {
        guard let handshake = peer.pointee.handshake.take() else { return }
        indices.remove(handshake.sender)
    }

    /// Forgets a keypair; its keys are wiped.
    mutating func free(_ keypair: KeypairPointer?) {
        guard let keypair else { return }
        indices.remove(keypair.pointee.localIndex)
        keypair.deinitialize(count: 1)
        keypair.deallocate()
    }

    /// Takes the next of the addresses at which a peer may be.
    mutating func useNextCandidate(_ peer: UnsafeMutablePointer<Peer>) {
        guard !peer.pointee.candidates.isEmpty else { return }
        peer.pointee.candidate = (peer.pointee.candidate + 1) % peer.pointee.candidates.count
        peer.pointee.endpoint = peer.pointee.candidates[peer.pointee.candidate]
        hasNews = true
    }

    private mutating func answered(_ peer: UnsafeMutablePointer<Peer>) {
        peer.pointee.unansweredSince = nil
        peer.pointee.timers.unanswered = PeerTimers.never
        if peer.pointee.isUnanswered { hasNews = true }
        peer.pointee.isUnanswered = false
    }

    private mutating func sessionDerived(_ peer: UnsafeMutablePointer<Peer>, now: Int64) {
        schedule(&peer.pointee.timers.forget, now + 3 * timings.rejectAfter)
    }

    private mutating func makeKeypair(
        _ keys: consuming TransportKeys,
        _ number: Int32,
        local: UInt32,
        remote: UInt32,
        isInitiator: Bool,
        now: Int64
    ) -> KeypairPointer {
        let keypair = KeypairPointer.allocate(capacity: 1)
        keypair.initialize(
            to: Keypair(
                keys: keys, peer: number, localIndex: local, remoteIndex: remote,
                isInitiator: isInitiator, created: now))
        indices.insert(local, peer: number, keypair)
        return keypair
    }

    // Fails with a peer only whose key agrees on nothing with ours, which is not among them.
    private mutating func beginHandshake(
        with remote: RemoteIdentity, _ index: UInt32, _ message: borrowing HandshakeBuffer
    ) -> InitiatorHandshake? {
        // Peers refuse what is not newer than the last: a clock that is set back must not
        // lock this side out.
        lastTimestamp = max(environment.wallClock(), lastTimestamp + TAI64N.step)
        return try? InitiatorHandshake(
            with: remote, sender: index, seed: SecretKey(filledBy: environment.random),
            timestamp: TAI64N(unixNanoseconds: UInt64(lastTimestamp)), writing: message.start)
    }

    private func newIndex() -> UInt32 {
        while true {
            var index: UInt32 = 0
            withUnsafeMutableBytes(of: &index) { environment.random($0) }
            if indices.find(index) == nil { return index }
        }
    }

    private mutating func send(_ message: [UInt8], to number: Int32) {
        let peer = peers + Int(number)
        peer.pointee.sentBytes &+= UInt64(message.count)
        outgoing.append(
            OutgoingMessage(endpoint: peer.pointee.endpoint, peer: number, bytes: message))
    }
}
