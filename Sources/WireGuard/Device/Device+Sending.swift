extension Device {
    /// The bytes of a message before the packet.
    package static var headerBytes: Int { TransportMessage.headerCount }
    /// What a message is longer than its packet, without padding: header and tag.
    package static var overhead: Int { headerBytes + sealedTagCount }

    /// The peer that a packet goes to, by its destination; `AllowedAddresses.none` for nobody.
    package mutating func route(_ packet: UnsafeRawPointer, count: Int) -> Int32 {
        let peer: Int32
        switch packet.load(as: UInt8.self) >> 4 {
        case 4 where count >= 20:
            let address = UInt32(
                bigEndian: packet.loadUnaligned(fromByteOffset: 16, as: UInt32.self))
            peer = allowed.peer(ofV4: AllowedAddresses.Key(v4: address))
        case 6 where count >= 40:
            peer = allowed.peer(ofV6: Self.v6Key(packet + 24))
        default: peer = AllowedAddresses.none
        }
        if peer < 0 { drops.unrouted &+= 1 }
        return peer
    }

    @inline(__always)
    static func v6Key(_ address: UnsafeRawPointer) -> AllowedAddresses.Key {
        AllowedAddresses.Key(
            high: UInt64(bigEndian: address.loadUnaligned(as: UInt64.self)),
            low: UInt64(bigEndian: address.loadUnaligned(fromByteOffset: 8, as: UInt64.self)))
    }

    /// Whether a message can be sealed for a peer now; otherwise the packet is to be staged.
    @inline(__always)
    package func canSeal(_ number: Int32, now: Int64) -> Bool {
        let peer = peers + Int(number)
        guard let keypair = peer.pointee.current, peer.pointee.hasEndpoint else { return false }
        return keypair.pointee.isUsable(now: now, timings)
    }

    /// Makes a packet into a message where it lies.
    ///
    /// `message` points to `headerBytes` of room, `count` bytes of packet with its padding, and
    /// 16 bytes more. To be called when `canSeal`; `dataSent` follows after one or several.
    package mutating func seal(_ message: UnsafeMutableRawPointer, count: Int, for number: Int32) {
        let peer = peers + Int(number)
        guard let keypair = peer.pointee.current else { return }
        let counter = keypair.pointee.nextCounter
        keypair.pointee.nextCounter = counter + 1
        TransportMessage.writeHeader(
            receiver: keypair.pointee.remoteIndex, counter: counter, to: message)
        cipher.seal(
            key: keypair.pointee.keys.sending.pointer, counter: counter,
            buffer: message + Self.headerBytes, count: count)
        peer.pointee.sentBytes &+= UInt64(count + Self.overhead)
    }

    /// Says that packets were sealed for a peer, so that timers run and keys stay fresh.
    package mutating func dataSent(_ number: Int32, now: Int64) {
        let peer = peers + Int(number)
        authenticatedPacketSent(peer, now: now)
        if peer.pointee.timers.silence == PeerTimers.never {
            schedule(
                &peer.pointee.timers.silence,
                now + timings.keepalive + timings.rekeyTimeout + jitter())
        }
        keepFresh(number, now: now)
    }

    /// Keeps a packet until there is a session, and sees to it that there will be one.
    package mutating func stage(_ packet: UnsafeRawBufferPointer, for number: Int32, now: Int64) {
        peers[Int(number)].staged.add(packet)
        initiate(number, now: now)
    }

    /// What length a packet is padded to: a multiple of 16 that the MTU allows.
    @inline(__always)
    package static func paddedCount(_ count: Int, mtu: Int) -> Int {
        let padded = (count + 15) & ~15
        return padded <= mtu ? padded : max(count, mtu)
    }

    /// Sends what has waited for a session, or a keepalive to confirm it when nothing has.
    mutating func sendStaged(_ number: Int32, confirm: Bool, now: Int64) {
        guard canSeal(number, now: now) else { return }
        let packets = peers[Int(number)].staged.takeAll()
        for packet in packets { emit(packet, for: number) }
        if !packets.isEmpty {
            dataSent(number, now: now)
        } else if confirm {
            sendKeepalive(number, now: now)
        }
    }

    /// Sends a message without a packet.
    mutating func sendKeepalive(_ number: Int32, now: Int64) {
        guard canSeal(number, now: now) else { return initiate(number, now: now) }
        emit([], for: number)
        authenticatedPacketSent(peers + Int(number), now: now)
        keepFresh(number, now: now)
    }

    private mutating func emit(_ packet: [UInt8], for number: Int32) {
        let count = Self.paddedCount(packet.count, mtu: .max)
        var message = [UInt8](repeating: 0, count: count + Self.overhead)
        message.withUnsafeMutableBytes { bytes in
            guard let start = bytes.baseAddress else { return }
            packet.withUnsafeBytes { packet in
                UnsafeMutableRawBufferPointer(rebasing: bytes[Self.headerBytes...])
                    .copyMemory(from: packet)
            }
            seal(start, count: count, for: number)
        }
        outgoing.append(
            OutgoingMessage(endpoint: peers[Int(number)].endpoint, peer: number, bytes: message))
    }

    @inline(__always)
    private mutating func authenticatedPacketSent(_ peer: UnsafeMutablePointer<Peer>, now: Int64) {
        peer.pointee.timers.keepalive = PeerTimers.never
        peer.pointee.timers.anotherKeepalive = false
        authenticatedPacket(peer, now: now)
    }

    /// A message of the session went by, in whichever direction.
    @inline(__always)
    mutating func authenticatedPacket(_ peer: UnsafeMutablePointer<Peer>, now: Int64) {
        if peer.pointee.persistentKeepalive > 0 {
            schedule(&peer.pointee.timers.persistent, now + peer.pointee.persistentKeepalive)
        }
    }

    // The initiator of a session begins the next one while this one still works.
    private mutating func keepFresh(_ number: Int32, now: Int64) {
        guard let keypair = peers[Int(number)].current else { return }
        let isOld =
            keypair.pointee.isInitiator && now - keypair.pointee.created >= timings.rekeyAfter
        if isOld || keypair.pointee.nextCounter > timings.rekeyAfterMessages {
            initiate(number, now: now)
        }
    }
}
