/// The far end of a tunnel: answers echo requests (ICMP, ICMPv6, UDP port 7) sent to its addresses.
///
/// A pure function on the bytes of one packet, which it turns into the answer in place. It answers
/// nothing that is not intact in every field it relies on, and no answer ever draws an answer.
package struct PacketResponder: Sendable {
    /// What becomes of a packet.
    package enum Verdict: Equatable, Sendable {
        /// The first `length` bytes of the buffer are the answer now.
        case reply(length: Int)
        /// There is no answer, and the buffer is unchanged.
        case drop
    }

    private let peers: PeerAddresses

    /// Makes a responder for peer addresses of 4 or 16 bytes, or returns nil if one is neither.
    package init?(peerAddresses: [[UInt8]]) {
        guard let peers = PeerAddresses(peerAddresses) else { return nil }
        self.peers = peers
    }

    /// Answers one IP packet in its own buffer.
    ///
    /// Bytes behind the packet's own length are ignored and never part of the answer.
    package func respond(to packet: inout MutableSpan<UInt8>) -> Verdict {
        guard packet.count >= 1 else { return .drop }
        switch packet[0] >> 4 {
        case 4: return respondV4(&packet)
        case 6: return respondV6(&packet)
        default: return .drop
        }
    }

    // MARK: IPv4

    private func respondV4(_ packet: inout MutableSpan<UInt8>) -> Verdict {
        let headerLength = 20
        // Version 4 with a header of 5 words: packets with options are dropped, as routers do
        // with source routes, and the other options ask for more than an echo.
        guard packet.count >= headerLength, packet[0] == 0x45 else { return .drop }
        let length = Int(packet.bytes.word(at: 2))
        guard length >= headerLength, length <= packet.count else { return .drop }
        var header = InternetChecksum()
        header.add(packet.bytes.extracting(0..<headerLength))
        guard header.isIntact else { return .drop }
        // Anything but "don't fragment" is a fragment or a bit that must be zero.
        guard packet.bytes.word(at: 6) & ~0x4000 == 0 else { return .drop }
        let source = packet.bytes.load32(at: 12)
        let destination = packet.bytes.load32(at: 16)
        guard peers.contains(destination), !peers.contains(source), !isImpossibleSource(source)
        else { return .drop }

        let payload = headerLength..<length
        switch packet[9] {
        case IPProtocol.icmp:
            guard answerEcho(&packet, payload, .v4, InternetChecksum()) else { return .drop }
        case IPProtocol.udp:
            var pseudoHeader = InternetChecksum()
            pseudoHeader.add(packet.bytes.extracting(12..<20))
            pseudoHeader.add(word: UInt16(IPProtocol.udp))
            pseudoHeader.add(word: UInt16(payload.count))
            let isChecked = payload.count >= 8 && packet.bytes.word(at: headerLength + 6) != 0
            guard answerUDP(&packet, payload, pseudoHeader, isChecked: isChecked)
            else { return .drop }
        default:
            return .drop
        }

        packet.store(destination, at: 12)
        packet.store(source, at: 16)
        packet[8] = hopLimit
        packet.store(UInt16(0), at: 10)
        var answered = InternetChecksum()
        answered.add(packet.bytes.extracting(0..<headerLength))
        packet.store(answered.value, at: 10)
        return .reply(length: length)
    }

    // MARK: IPv6

    private func respondV6(_ packet: inout MutableSpan<UInt8>) -> Verdict {
        let headerLength = 40
        guard packet.count >= headerLength else { return .drop }
        let payloadLength = packet.bytes.word(at: 4)
        let length = headerLength + Int(payloadLength)
        guard length <= packet.count else { return .drop }
        let source = packet.bytes.load128(at: 8)
        let destination = packet.bytes.load128(at: 24)
        guard peers.contains(destination), !peers.contains(source), !isImpossibleSource(source)
        else { return .drop }

        let payload = headerLength..<length
        let next = packet[6]
        var pseudoHeader = InternetChecksum()
        pseudoHeader.add(packet.bytes.extracting(8..<40))
        pseudoHeader.add(word: payloadLength)
        pseudoHeader.add(word: UInt16(next))
        switch next {
        case IPProtocol.icmpV6:
            guard answerEcho(&packet, payload, .v6, pseudoHeader) else { return .drop }
        case IPProtocol.udp:
            // Without a checksum nothing would protect the addresses (RFC 8200, 8.1).
            guard payload.count >= 8, packet.bytes.word(at: headerLength + 6) != 0,
                answerUDP(&packet, payload, pseudoHeader, isChecked: true)
            else { return .drop }
        default:
            // Extension headers too, fragments among them.
            return .drop
        }

        packet.store(destination, at: 8)
        packet.store(source, at: 24)
        packet[7] = hopLimit
        return .reply(length: length)
    }

    // MARK: Payloads

    /// Turns an intact echo request into its reply, or returns false and changes nothing.
    private func answerEcho(
        _ packet: inout MutableSpan<UInt8>,
        _ payload: Range<Int>,
        _ kind: EchoKind,
        _ pseudoHeader: InternetChecksum
    ) -> Bool {
        let start = payload.lowerBound
        guard payload.count >= 8, packet[start] == kind.request, packet[start + 1] == 0
        else { return false }
        // The part that stays is summed once, for checking and for the answer. Computed anew, the
        // checksum is right in the corner where an update (RFC 1624) gives the other zero.
        var unchanged = pseudoHeader
        unchanged.add(packet.bytes.extracting(start + 4..<payload.upperBound))
        var request = unchanged
        request.add(packet.bytes.extracting(start..<start + 4))
        guard request.isIntact else { return false }

        var reply = unchanged
        reply.add(word: UInt16(kind.reply) << 8)
        packet[start] = kind.reply
        packet.store(reply.value, at: start + 2)
        return true
    }

    /// Turns an intact datagram to the echo port into its reply, or returns false and changes
    /// nothing.
    private func answerUDP(
        _ packet: inout MutableSpan<UInt8>,
        _ payload: Range<Int>,
        _ pseudoHeader: InternetChecksum,
        isChecked: Bool
    ) -> Bool {
        let start = payload.lowerBound
        guard payload.count >= 8, Int(packet.bytes.word(at: start + 4)) == payload.count
        else { return false }
        let source = packet.bytes.word(at: start)
        // An answer to the echo port would be echoed for ever; port 0 means that no answer is
        // expected (RFC 768).
        guard packet.bytes.word(at: start + 2) == echoPort, source != echoPort, source != 0
        else { return false }
        if isChecked {
            var request = pseudoHeader
            request.add(packet.bytes.extracting(payload))
            guard request.isIntact else { return false }
        }

        // Exchanging ports and addresses leaves the sum, and so the checksum, as it is.
        packet.store(echoPort, at: start)
        packet.store(source, at: start + 2)
        return true
    }
}

/// The TTL or hop limit of an answer, which starts a way of its own.
private let hopLimit: UInt8 = 64

/// The port of the echo service (RFC 862).
private let echoPort: UInt16 = 7

/// The protocol numbers of IP headers.
private enum IPProtocol {
    static let icmp: UInt8 = 1
    static let udp: UInt8 = 17
    static let icmpV6: UInt8 = 58
}

/// The message types of an echo.
private struct EchoKind {
    let request: UInt8
    let reply: UInt8

    static let v4 = EchoKind(request: 8, reply: 0)
    static let v6 = EchoKind(request: 128, reply: 129)
}
