extension Device {
    /// Does what is due; to be called at `nextTick`.
    package mutating func tick(now: Int64) {
        guard now >= nextTick else { return }
        // Found anew below, and lowered by whatever is scheduled meanwhile.
        nextTick = PeerTimers.never
        for number in 0..<Int32(peerCount) {
            let peer = peers + Int(number)
            if peer.pointee.timers.next <= now { runTimers(of: number, now: now) }
            nextTick = min(nextTick, peer.pointee.timers.next)
        }
    }

    private mutating func runTimers(of number: Int32, now: Int64) {
        let peer = peers + Int(number)
        if take(&peer.pointee.timers.unanswered, now) {
            peer.pointee.isUnanswered = true
            hasNews = true
        }
        if take(&peer.pointee.timers.retransmit, now) { repeatInitiation(number, now: now) }
        if take(&peer.pointee.timers.keepalive, now) { answerByKeepalive(number, now: now) }
        if take(&peer.pointee.timers.silence, now) {
            peer.pointee.endpoint = peer.pointee.endpoint.withoutLocal
            initiate(number, now: now)
        }
        if take(&peer.pointee.timers.forget, now) { forgetSessions(peer) }
        if take(&peer.pointee.timers.persistent, now) {
            // Before the keepalive, which sets it anew when it goes out.
            schedule(&peer.pointee.timers.persistent, now + peer.pointee.persistentKeepalive)
            sendKeepalive(number, now: now)
        }
        if take(&peer.pointee.timers.liveness, now) { renewProof(number, now: now) }
    }

    private mutating func repeatInitiation(_ number: Int32, now: Int64) {
        let peer = peers + Int(number)
        guard peer.pointee.attempts < timings.attempts else {
            peer.pointee.timers.keepalive = PeerTimers.never
            _ = peer.pointee.staged.takeAll()
            forgetHandshake(peer)
            if peer.pointee.livenessInterval > 0 {
                schedule(&peer.pointee.timers.liveness, now + timings.restAfterAttempts)
            }
            return
        }
        peer.pointee.attempts += 1
        peer.pointee.endpoint = peer.pointee.endpoint.withoutLocal
        useNextCandidate(peer)
        initiate(number, now: now, isRepetition: true)
    }

    private mutating func answerByKeepalive(_ number: Int32, now: Int64) {
        let peer = peers + Int(number)
        let again = peer.pointee.timers.anotherKeepalive
        sendKeepalive(number, now: now)
        if again { schedule(&peer.pointee.timers.keepalive, now + timings.keepalive) }
    }

    // Traffic proves it as well: then it is looked again when that proof gets old.
    private mutating func renewProof(_ number: Int32, now: Int64) {
        let peer = peers + Int(number)
        let due = (peer.pointee.lastVerified ?? .min / 2) + peer.pointee.livenessInterval
        // An initiation that comes too soon after the last would not go out, and nothing would
        // bring the next. One that is under way brings it by its answer or by giving up.
        let earliest =
            peer.pointee.handshake == nil && peer.pointee.lastInitiation != .min
            ? max(due, peer.pointee.lastInitiation + timings.rekeyTimeout) : due
        if earliest > now {
            schedule(&peer.pointee.timers.liveness, earliest)
        } else {
            initiate(number, now: now)
        }
    }

    /// Forgets all sessions of a peer; their keys are wiped.
    mutating func forgetSessions(_ peer: UnsafeMutablePointer<Peer>) {
        forgetHandshake(peer)
        for keypair in [peer.pointee.current, peer.pointee.previous, peer.pointee.next] {
            free(keypair)
        }
        peer.pointee.current = nil
        peer.pointee.previous = nil
        peer.pointee.next = nil
    }

    private func take(_ timer: inout Int64, _ now: Int64) -> Bool {
        guard timer <= now else { return false }
        timer = PeerTimers.never
        return true
    }
}
