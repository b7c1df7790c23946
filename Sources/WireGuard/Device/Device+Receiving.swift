extension Device {
    /// What became of a message.
    package enum Received {
        /// Nothing that concerns the interface.
        case nothing
        /// A packet of so many bytes, which follows the header; padding included.
        case packet(count: Int)
    }

    /// Takes a message; a packet is decrypted where it lies.
    package mutating func receive(
        _ message: UnsafeMutableRawPointer,
        count: Int,
        from endpoint: borrowing Endpoint,
        now: Int64
    ) -> Received {
        let datagram = UnsafeRawBufferPointer(start: message, count: count)
        if let transport = TransportMessage(datagram) {
            return receive(transport, message, count: count, from: endpoint, now: now)
        }
        receiveHandshake(datagram, from: endpoint, now: now)
        return .nothing
    }

    private mutating func receive(
        _ transport: TransportMessage,
        _ message: UnsafeMutableRawPointer,
        count: Int,
        from endpoint: borrowing Endpoint,
        now: Int64
    ) -> Received {
        guard let entry = indices.find(transport.receiver),
            let keypair = entry.pointee.keypair
        else {
            drops.unknown &+= 1
            return .nothing
        }
        let counter = transport.counter
        guard now - keypair.pointee.created < timings.rejectAfter,
            counter < timings.rejectAfterMessages
        else {
            drops.replayed &+= 1
            return .nothing
        }
        guard
            cipher.open(
                key: keypair.pointee.keys.receiving.pointer, counter: counter,
                buffer: message + Self.headerBytes, count: count - Self.headerBytes)
        else {
            drops.forged &+= 1
            return .nothing
        }
        guard keypair.pointee.replay.accept(counter) else {
            drops.replayed &+= 1
            return .nothing
        }
        let number = keypair.pointee.peer
        let peer = peers + Int(number)
        received(count, by: peer, from: endpoint)
        if keypair == peer.pointee.next { takeIntoUse(keypair, number, now: now) }
        peer.pointee.timers.silence = PeerTimers.never
        authenticatedPacket(peer, now: now)
        verified(peer, now: now)
        askLastMinute(number, now: now)
        let length = count - Self.overhead
        guard length > 0 else { return .nothing }
        dataReceived(peer, now: now)
        guard isAllowedSource(message + Self.headerBytes, count: length, of: number) else {
            drops.foreignSource &+= 1
            return .nothing
        }
        return .packet(count: length)
    }

    private mutating func receiveHandshake(
        _ datagram: UnsafeRawBufferPointer, from endpoint: Endpoint, now: Int64
    ) {
        switch Message(datagram) {
        case .initiation(let initiation):
            guard admits(datagram, sender: initiation.sender, from: endpoint, now: now) else {
                return
            }
            receive(initiation, from: endpoint, now: now)
        case .response(let response):
            guard admits(datagram, sender: response.sender, from: endpoint, now: now) else {
                return
            }
            receive(response, from: endpoint, now: now)
        case .cookieReply(let reply): receive(reply, now: now)
        case .transport, nil: drops.unknown &+= 1
        }
    }

    // Before anything costly: MAC1 tells that the sender knows our key; under load MAC2 tells
    // that it is where it says, and then it has a rate of its own.
    private mutating func admits(
        _ datagram: UnsafeRawBufferPointer, sender: UInt32, from endpoint: Endpoint, now: Int64
    ) -> Bool {
        guard cookieChecker.hasMAC1(datagram) else {
            drops.forged &+= 1
            return false
        }
        guard load.isHigh(now: now) else { return true }
        let source = endpoint.handshakeSource
        switch cookieChecker.check(datagram, from: source, at: UInt64(now)) {
        case .withCookie where rateLimiter.admits(source, at: UInt64(now)): return true
        case .withoutCookie:
            answerWithCookie(datagram, sender: sender, to: endpoint, now: now)
        case .withCookie, .wrong: break
        }
        drops.limited &+= 1
        return false
    }

    private mutating func answerWithCookie(
        _ datagram: UnsafeRawBufferPointer, sender: UInt32, to endpoint: Endpoint, now: Int64
    ) {
        if cookieChecker.needsSecret(at: UInt64(now)) {
            cookieChecker.renewSecret(SecretKey(filledBy: environment.random), at: UInt64(now))
        }
        let reply = HandshakeBuffer(count: CookieReplyMessage.byteCount)
        let nonce = HandshakeBuffer(count: CipherSuite.extendedNonceCount)
        environment.random(nonce.bytes)
        cookieChecker.reply(
            to: datagram, sender: sender, from: endpoint.handshakeSource, nonce: nonce.start,
            writing: reply.start)
        outgoing.append(
            OutgoingMessage(
                endpoint: endpoint, peer: AllowedAddresses.none, bytes: reply.message()))
    }

    /// Counts an authenticated message and remembers where it came from: roaming.
    @inline(__always)
    mutating func received(
        _ count: Int, by peer: UnsafeMutablePointer<Peer>, from endpoint: borrowing Endpoint
    ) {
        peer.pointee.receivedBytes &+= UInt64(count)
        if peer.pointee.endpoint != endpoint {
            peer.pointee.endpoint = copy endpoint
            peer.pointee.hasEndpoint = true
            hasNews = true
        }
    }

    /// The peer uses the session that we answered with: so do we from now on.
    private mutating func takeIntoUse(_ keypair: KeypairPointer, _ number: Int32, now: Int64) {
        let peer = peers + Int(number)
        free(peer.pointee.previous)
        peer.pointee.previous = peer.pointee.current
        peer.pointee.current = keypair
        peer.pointee.next = nil
        // Our own initiation, if there is one, has become needless.
        forgetHandshake(peer)
        handshakeCompleted(number, now: now)
        sendStaged(number, confirm: false, now: now)
    }

    @inline(__always)
    private mutating func dataReceived(_ peer: UnsafeMutablePointer<Peer>, now: Int64) {
        if peer.pointee.timers.keepalive == PeerTimers.never {
            schedule(&peer.pointee.timers.keepalive, now + timings.keepalive)
        } else {
            peer.pointee.timers.anotherKeepalive = true
        }
    }

    // An initiator that only receives has to renew the session in time.
    @inline(__always)
    private mutating func askLastMinute(_ number: Int32, now: Int64) {
        let peer = peers + Int(number)
        guard let current = peer.pointee.current, current.pointee.isInitiator,
            !peer.pointee.askedLastMinute,
            now - current.pointee.created
                >= timings.rejectAfter - timings.keepalive - timings.rekeyTimeout
        else { return }
        peer.pointee.askedLastMinute = true
        initiate(number, now: now)
    }

    /// Whether a peer may speak for the source of a packet.
    @inline(__always)
    private func isAllowedSource(_ packet: UnsafeRawPointer, count: Int, of number: Int32) -> Bool {
        switch packet.load(as: UInt8.self) >> 4 {
        case 4 where count >= 20:
            let source = UInt32(
                bigEndian: packet.loadUnaligned(fromByteOffset: 12, as: UInt32.self))
            return allowed.peer(ofV4: AllowedAddresses.Key(v4: source)) == number
        case 6 where count >= 40: return allowed.peer(ofV6: Self.v6Key(packet + 8)) == number
        default: return false
        }
    }
}
