import Loopback
import Testing

@Suite struct PacketResponderTests {
    private let responder: PacketResponder

    init() throws {
        responder = try PacketResponder.forTests()
    }

    @Test(arguments: zip(Packets.requests, Packets.replies))
    func answers(request: [UInt8], reply: [UInt8]) {
        #expect(Reference.isIntact(request))
        #expect(Reference.isIntact(reply))
        #expect(responder.answer(to: request) == reply)
    }

    @Test(arguments: Packets.replies)
    func anAnswerDrawsNoAnswer(reply: [UInt8]) throws {
        #expect(responder.answer(to: reply) == nil)
        // Nor at the other end, which answers for the address it is sent to.
        let isV4 = reply[0] >> 4 == 4
        let destination = Array(isV4 ? reply[16..<20] : reply[24..<40])
        let other = try #require(PacketResponder(peerAddresses: [destination]))
        #expect(other.answer(to: reply) == nil)
    }

    @Test(arguments: Packets.requests)
    func truncatedAnywhereItIsDropped(request: [UInt8]) {
        for length in 0..<request.count {
            #expect(responder.answer(to: Array(request[..<length])) == nil, "\(length) bytes")
        }
    }

    @Test(arguments: zip(Packets.requests, Packets.replies))
    func whatFollowsThePacketIsNoPartOfTheAnswer(request: [UInt8], reply: [UInt8]) {
        for extra in 1...5 {
            let padded = request + [UInt8](repeating: 0xEE, count: extra)
            #expect(responder.answer(to: padded) == reply)
        }
    }

    @Test func aDatagramWithoutChecksumIsAnsweredWithoutOne() throws {
        var request = Packets.udp
        Reference.set(0, at: 26, in: &request)
        var reply = Packets.udpReply
        Reference.set(0, at: 26, in: &reply)
        #expect(responder.answer(to: request) == reply)
    }

    @Test func aDatagramWithoutDataIsAnswered() throws {
        for (packet, start) in [(Packets.udp, 20), (Packets.udpV6, 40)] {
            var request = Array(packet[..<(start + 8)])
            Reference.set(8, at: start + 4, in: &request)
            Reference.set(start == 20 ? 28 : 8, at: start == 20 ? 2 : 4, in: &request)
            Reference.refit(&request)
            let reply = try #require(responder.answer(to: request))
            #expect(reply.count == request.count)
            #expect(Reference.isIntact(reply))
        }
    }

    /// The one message where an incremental update of the checksum would give the wrong zero.
    @Test func anEchoOfNothingButZerosHasTheRightZero() throws {
        var request = Packets.icmp
        for index in 24..<36 { request[index] = 0 }
        Reference.refit(&request)
        #expect(request[20..<24] == [0x08, 0x00, 0xF7, 0xFF])
        let reply = try #require(responder.answer(to: request))
        #expect(reply[20..<24] == [0x00, 0x00, 0xFF, 0xFF])
        #expect(Reference.isIntact(reply))
    }

    @Test func theLargestPacketsAreAnswered() throws {
        var v4 = Packets.icmp + [UInt8](repeating: 0xA5, count: 65_535 - Packets.icmp.count)
        Reference.set(65_535, at: 2, in: &v4)
        Reference.refit(&v4)
        #expect(Reference.isIntact(try #require(responder.answer(to: v4))))

        var v6 = Packets.icmpV6
        v6 += [UInt8](repeating: 0xA5, count: 65_575 - v6.count)
        Reference.set(65_535, at: 4, in: &v6)
        Reference.refit(&v6)
        #expect(Reference.isIntact(try #require(responder.answer(to: v6))))
    }

    @Test func peersMayBeManyAndOfEitherFamily() throws {
        var peers = (0..<1000).map { [UInt8(10), 8, UInt8($0 / 250), UInt8($0 % 250)] }
        peers += peers.map { [0xfd, 0, 0, 8] + [UInt8](repeating: 0, count: 8) + $0 }
        let many = try #require(PacketResponder(peerAddresses: (peers + peers).shuffled()))
        for peer in peers {
            let isV4 = peer.count == 4
            var request = isV4 ? Packets.icmp : Packets.icmpV6
            request.replaceSubrange(isV4 ? 16..<20 : 24..<40, with: peer)
            Reference.refit(&request)
            #expect(many.answer(to: request) != nil)
        }
        #expect(many.answer(to: Packets.icmp) == nil)
        #expect(many.answer(to: Packets.icmpV6) == nil)
    }

    @Test func withoutPeersNothingIsAnswered() throws {
        let nobody = try #require(PacketResponder(peerAddresses: []))
        for request in Packets.requests { #expect(nobody.answer(to: request) == nil) }
    }

    @Test(arguments: [0, 1, 3, 5, 15, 17])
    func addressesOfOtherLengthsAreRefused(length: Int) {
        let address = [UInt8](repeating: 1, count: length)
        #expect(PacketResponder(peerAddresses: Packets.peers + [address]) == nil)
    }
}
