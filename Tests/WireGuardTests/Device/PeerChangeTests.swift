import TestSupport
import Testing
import TunnelModel

@testable import WireGuard

/// Peers come, go and change while the device runs, and the others notice nothing of it.
struct PeerChangeTests {
    private func remote(_ byte: UInt8, shared: UInt8 = 0, of station: Station) throws
        -> RemoteIdentity
    {
        let key = try CipherSuite().publicKey(of: SecretKey(repeating: byte))
        return try RemoteIdentity(
            publicKey: key, presharedKey: SecretKey(repeating: shared),
            local: station.device.local)
    }

    private func prefix(_ text: String) throws -> IPPrefix { try #require(IPPrefix(text)) }

    /// Where the left station sends what is for an address.
    private func owner(_ talk: Conversation, _ last: UInt8) -> Int32 {
        let packet = Conversation.packet(from: 1, to: last, [1])
        return packet.withUnsafeBytes { buffer in
            buffer.baseAddress.map { talk.left.device.route($0, count: buffer.count) } ?? -1
        }
    }

    private func connected() throws -> Conversation {
        let talk = try Conversation()
        talk.connect()
        talk.run(seconds: 0.1)
        talk.send([1], from: talk.left)
        talk.run(seconds: 0.1)
        try #require(talk.right.received.count == 1)
        return talk
    }

    @Test func apartFromOnePeerNothingIsNoticed() throws {
        let talk = try connected()
        let before = talk.left.peer
        let initiations = talk.sent.count { $0.bytes[0] == 1 }
        let added = talk.left.device.addPeer(
            try remote(3, of: talk.left), allowedAddresses: [try prefix("10.0.0.3/32")])
        let number = try #require(added)
        #expect(number == 1)
        #expect(owner(talk, 3) == 1)
        #expect(owner(talk, 2) == 0)
        talk.send([2], from: talk.left)
        talk.run(seconds: 0.1)
        talk.left.device.removePeer(number)
        talk.left.device.setAllowedAddresses([(try prefix("10.0.0.2/32"), 0)])
        #expect(owner(talk, 3) == AllowedAddresses.none)
        talk.send([3], from: talk.left)
        talk.send([4], from: talk.right)
        talk.run(seconds: 0.1)
        #expect(talk.right.received.map { $0.packet[20] } == [1, 2, 3])
        #expect(talk.left.received.map { $0.packet[20] } == [4])
        #expect(talk.sent.count { $0.bytes[0] == 1 } == initiations)
        #expect(talk.left.peer.lastHandshake == before.lastHandshake)
        #expect(talk.left.peer.sentBytes > before.sentBytes)
    }

    @Test func aRemovedPeerIsAStranger() throws {
        let talk = try connected()
        talk.right.device.removePeer(0)
        #expect(!talk.right.peer.hasKeys)
        #expect(!talk.right.peer.isProven)
        #expect(!talk.right.canSend(at: talk.now))
        talk.send([2], from: talk.left)
        talk.run(seconds: 200)
        #expect(talk.right.received.count == 1)
        #expect(talk.right.drops.unknown > 0)
        #expect(!talk.left.peer.isProven)
        // Nobody hears anything of it either.
        #expect(talk.right.outgoing.isEmpty)
        // What is handed to it is nobody's.
        talk.right.device.setAllowedAddresses([])
        #expect(talk.right.device.peerByKey.isEmpty)
    }

    @Test func itComesBackAtItsPlaceAndConnectsAnew() throws {
        let talk = try connected()
        for _ in 0..<50 {
            talk.right.device.removePeer(0)
            let number = talk.right.device.addPeer(
                try remote(1, shared: 7, of: talk.right),
                allowedAddresses: [try prefix("10.0.0.1/32")])
            #expect(number == 0)
        }
        #expect(talk.right.device.peerCount == 1)
        #expect(talk.right.peer.sentBytes == 0)
        // The other end finds its session dead, and makes another.
        talk.send([2], from: talk.left)
        talk.run(seconds: 20)
        talk.send([3], from: talk.left)
        talk.run(seconds: 1)
        #expect(talk.right.received.last?.packet[20] == 3)
        #expect(talk.right.peer.isProven)
    }

    @Test func aSecondPeerWithItsKeyIsStillNone() throws {
        let talk = try connected()
        let same = try remote(2, of: talk.left)
        #expect(talk.left.device.addPeer(same, allowedAddresses: []) == nil)
        talk.left.device.removePeer(0)
        #expect(talk.left.device.addPeer(same, allowedAddresses: []) == 0)
        #expect(talk.left.device.addPeer(same, allowedAddresses: []) == nil)
    }

    @Test func anotherPresharedKeyIsProvedAtOnceWhileTheSessionGoesOn() throws {
        let talk = try connected()
        let before = talk.left.peer.lastHandshake
        #expect(talk.left.device.withPeer(0) { $0.hasPresharedKey(SecretKey(repeating: 7)) })
        talk.left.device.setKeys(try remote(2, shared: 8, of: talk.left), of: 0, now: talk.now)
        talk.flush(talk.left)
        #expect(!talk.left.device.withPeer(0) { $0.hasPresharedKey(SecretKey(repeating: 7)) })
        talk.run(seconds: 1)
        // The other end has not followed: it agrees on nothing, and what there is goes on.
        #expect(talk.left.peer.lastHandshake == before)
        talk.send([2], from: talk.left)
        talk.run(seconds: 0.1)
        #expect(talk.right.received.count == 2)
        talk.right.device.setKeys(
            try remote(1, shared: 8, of: talk.right), of: 0, now: talk.now)
        talk.run(seconds: 10)
        #expect(talk.left.peer.lastHandshake != before)
        talk.send([3], from: talk.left)
        talk.run(seconds: 0.1)
        #expect(talk.right.received.count == 3)
    }

    @Test func itIsSoughtWhereItIsSaidToBeAndKeepsItsSession() throws {
        let talk = try connected()
        let bytes = talk.left.peer.sentBytes
        talk.right.endpoint = Conversation.endpoint(9)
        talk.left.device.move(0, to: [Conversation.endpoint(9)], now: talk.now)
        talk.flush(talk.left)
        #expect(talk.left.peer.endpoint == Conversation.endpoint(9))
        #expect(talk.left.canSend(at: talk.now))
        talk.send([2], from: talk.left)
        talk.run(seconds: 0.1)
        #expect(talk.right.received.count == 2)
        #expect(talk.left.peer.isProven)
        #expect(talk.left.peer.sentBytes > bytes)
        // Without any address it stays where it was heard.
        talk.left.device.move(0, to: [], now: talk.now)
        #expect(talk.left.peer.endpoint == Conversation.endpoint(9))
        talk.send([3], from: talk.left)
        talk.run(seconds: 0.1)
        #expect(talk.right.received.count == 3)
    }

    @Test func intervalsChangeFromNowOn() throws {
        let talk = try connected()
        talk.run(seconds: 30)
        var sent = talk.sent.count
        talk.run(seconds: 60)
        #expect(talk.sent.count == sent)
        talk.left.device.setIntervals(
            of: 0, persistentKeepalive: Timings.seconds(10), livenessInterval: 0, now: talk.now)
        talk.run(seconds: 61)
        #expect(talk.sent.count >= sent + 6)
        talk.left.device.setIntervals(
            of: 0, persistentKeepalive: 0, livenessInterval: 0, now: talk.now)
        sent = talk.sent.count
        talk.run(seconds: 30)
        #expect(talk.sent.count == sent)
        // A proof is renewed once it is asked for.
        let handshake = talk.left.peer.lastHandshake
        talk.left.device.setIntervals(
            of: 0, persistentKeepalive: 0, livenessInterval: Timings.seconds(20), now: talk.now)
        talk.run(seconds: 25)
        #expect(talk.left.peer.lastHandshake != handshake)
    }

    @Test func manyChangesLeaveTheTableAsItIsSaid() throws {
        let talk = try connected()
        var generator = SeededGenerator(seed: 5)
        var living: [UInt8: Int32] = [2: 0]
        for _ in 0..<400 {
            let byte = UInt8(3 + generator.next() % 40)
            if let number = living.removeValue(forKey: byte) {
                talk.left.device.removePeer(number)
            } else {
                living[byte] = talk.left.device.addPeer(
                    try remote(byte, of: talk.left), allowedAddresses: [])
            }
            talk.left.device.setAllowedAddresses(
                try living.map { (try prefix("10.0.0.\($0.key)/32"), $0.value) })
            #expect(Set(living.values).count == living.count)
        }
        for byte in UInt8(2)..<44 {
            #expect(owner(talk, byte) == living[byte] ?? AllowedAddresses.none)
        }
        #expect(talk.left.device.peerCount <= 42)
        talk.send([9], from: talk.left)
        talk.run(seconds: 0.1)
        #expect(talk.right.received.last?.packet[20] == 9)
    }
}
