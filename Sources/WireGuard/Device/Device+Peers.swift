package import TunnelModel

// What changes of the peers while the device runs; what is not named here goes on as it was.

extension Device {
    /// Removes a peer with its sessions; its number may be given to another.
    ///
    /// Its networks are still its own until `setAllowedAddresses`.
    package mutating func removePeer(_ number: Int32) {
        let peer = peers + Int(number)
        peerByKey[peer.pointee.publicKey] = nil
        forgetSessions(peer)
        outgoing.removeAll { $0.peer == number }
        // Not the peer itself: its keys are to go.
        let nobody =
            nobody ?? (try? RemoteIdentity(publicKey: local.publicKey, local: local))
            ?? peer.pointee.remote
        self.nobody = nobody
        peer.pointee = Peer(nobody)
        vacant.append(number)
        hasNews = true
    }

    /// Says to which peer each network belongs, instead of what was said before.
    package mutating func setAllowedAddresses(_ owners: [(prefix: IPPrefix, peer: Int32)]) {
        var table = AllowedAddresses()
        for (prefix, peer) in owners { table.insert(prefix, peer: peer) }
        allowed = table
    }

    /// Gives a peer another preshared key; `remote` is the same peer with it.
    ///
    /// Its sessions last as long as they would have; a handshake begins at once, so that it shows
    /// whether the other end has the same.
    package mutating func setKeys(_ remote: RemoteIdentity, of number: Int32, now: Int64) {
        let peer = peers + Int(number)
        peer.pointee.remote = remote
        seekAnew(number, now: now)
    }

    /// Looks for a peer at other addresses than before; without any it stays where it was heard.
    package mutating func move(_ number: Int32, to candidates: [Endpoint], now: Int64) {
        let peer = peers + Int(number)
        peer.pointee.candidates = candidates
        peer.pointee.candidate = 0
        guard let first = candidates.first else { return }
        peer.pointee.endpoint = first
        peer.pointee.hasEndpoint = true
        hasNews = true
        seekAnew(number, now: now)
    }

    /// Changes how often a peer is spoken to, and asked for a proof.
    package mutating func setIntervals(
        of number: Int32, persistentKeepalive: Int64, livenessInterval: Int64, now: Int64
    ) {
        let peer = peers + Int(number)
        if peer.pointee.persistentKeepalive != persistentKeepalive {
            peer.pointee.persistentKeepalive = persistentKeepalive
            peer.pointee.timers.persistent = PeerTimers.never
            if persistentKeepalive > 0 {
                schedule(&peer.pointee.timers.persistent, now + persistentKeepalive)
            }
        }
        guard peer.pointee.livenessInterval != livenessInterval else { return }
        peer.pointee.livenessInterval = livenessInterval
        peer.pointee.timers.liveness = PeerTimers.never
        if livenessInterval > 0, let verified = peer.pointee.lastVerified {
            schedule(&peer.pointee.timers.liveness, verified + livenessInterval)
        }
    }

    // Where nobody knows the peer's address it speaks first.
    private mutating func seekAnew(_ number: Int32, now: Int64) {
        peers[Int(number)].attempts = 0
        initiate(number, now: now, isRepetition: true)
    }
}

extension Peer {
    /// Whether it has this preshared key.
    package borrowing func hasPresharedKey(_ key: borrowing SecretKey) -> Bool {
        remote.presharedKey.matches(key)
    }
}
