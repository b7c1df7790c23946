import TestSupport
import Testing

@testable import WireGuard

struct SessionLifeTests {
    @Test func packetsGoBothWaysOnceKeysAreAgreed() throws {
        let talk = try Conversation()
        talk.connect()
        talk.run(seconds: 0.1)
        #expect(talk.left.peer.isProven && talk.right.peer.isProven)
        talk.send([1, 2, 3], from: talk.left)
        talk.send([4], from: talk.right)
        talk.run(seconds: 0.1)
        #expect(
            talk.right.received.map(\.packet) == [Conversation.packet(from: 1, to: 2, [1, 2, 3])])
        #expect(talk.left.received.map(\.packet) == [Conversation.packet(from: 2, to: 1, [4])])
    }

    @Test func aNewWayIsSpokenByAtOnceAndCostsNoPacket() throws {
        let talk = try Conversation()
        talk.connect()
        talk.run(seconds: 0.1)
        talk.left.endpoint = Conversation.endpoint(9)
        talk.left.device.pathChanged(0, seeks: true, now: talk.now)
        talk.flush(talk.left)
        // The sessions stay good meanwhile, and there is no local address to hold on to.
        #expect(talk.left.canSend(at: talk.now))
        #expect(!talk.left.peer.endpoint.hasLocal)
        talk.run(seconds: 0.1)
        #expect(talk.right.peer.endpoint == Conversation.endpoint(9))
        #expect(talk.sent.count { $0.bytes[0] == 1 } == 2)
        // Whoever is not sought is waited for.
        talk.right.device.pathChanged(0, seeks: false, now: talk.now)
        talk.flush(talk.right)
        talk.run(seconds: 0.1)
        #expect(talk.sent.count { $0.bytes[0] == 1 } == 2)
        talk.send([1, 2, 3], from: talk.left)
        talk.run(seconds: 0.1)
        #expect(talk.right.received.count == 1)
    }

    @Test func aPacketSentBeforeThereIsASessionIsNotLost() throws {
        let talk = try Conversation()
        for byte in 0..<40 { talk.send([UInt8(byte)], from: talk.left) }
        talk.run(seconds: 1)
        // The oldest give way where there are too many.
        #expect(talk.right.received.map { $0.packet[20] } == (8..<40).map { UInt8($0) })
        #expect(talk.sent.count { $0.bytes[0] == 1 } == 1)
    }

    @Test func anHourOfTrafficChangesKeysAndLosesNothing() throws {
        let talk = try Conversation()
        talk.connect()
        for second in 0..<3600 {
            talk.send([UInt8(second & 255)], from: talk.left)
            if second % 3 == 0 { talk.send([1], from: talk.right) }
            talk.run(seconds: 1)
        }
        #expect(talk.right.received.count == 3600)
        #expect(talk.left.received.count == 1200)
        let initiations = talk.sent.filter { $0.bytes[0] == 1 }
        // One every two minutes, all by the side that began.
        #expect(!initiations.contains { !$0.fromLeft })
        #expect((29...31).contains(initiations.count))
        #expect(talk.left.drops == Device.Drops())
        #expect(talk.right.drops == Device.Drops())
    }

    @Test func oneFifthLostAndTheRestShuffledCostsThoseAlone() throws {
        let talk = try Conversation(livenessInterval: Timings.seconds(120))
        var generator = SeededGenerator(seed: 11)
        var lost = 0
        talk.network = { flight in
            guard generator.next() % 5 != 0 else {
                if flight.bytes[0] == 4, flight.bytes.count > 32 { lost += 1 }
                return []
            }
            var late = flight
            late.arrives += Int64(generator.next() % 300) * 1_000_000
            return [late]
        }
        talk.connect()
        talk.run(seconds: 30)
        let before = talk.right.received.count
        lost = 0
        for _ in 0..<9000 {
            talk.send([9], from: talk.left)
            talk.run(seconds: 0.1)
        }
        talk.run(seconds: 5)
        // While new keys are agreed a packet under them may come before the peer has them.
        let arrived = talk.right.received.count - before
        #expect(arrived + lost <= 9000)
        #expect(arrived + lost >= 8990)
    }

    @Test func dataThatIsNotAnsweredIsAnsweredByAKeepaliveAfterTenSeconds() throws {
        let talk = try Conversation()
        talk.connect()
        talk.run(seconds: 1)
        talk.send([1], from: talk.left)
        let sent = talk.now
        talk.run(seconds: 12)
        let keepalives = talk.sent.filter { !$0.fromLeft && $0.bytes.count == 32 }
        #expect(keepalives.count == 1)
        let after = try #require(keepalives.first).time - sent
        #expect((Timings.seconds(10)...Timings.seconds(10) + 2_000_000).contains(after))
    }

    @Test func aSilentPeerIsAskedAfterFifteenSeconds() throws {
        let talk = try Conversation()
        talk.connect()
        talk.run(seconds: 6)
        talk.network = { _ in [] }
        let begun = talk.sent.count { $0.bytes[0] == 1 }
        talk.send([1], from: talk.left)
        talk.run(seconds: 14.9)
        #expect(talk.sent.count { $0.bytes[0] == 1 } == begun)
        talk.run(seconds: 0.6)
        #expect(talk.sent.count { $0.bytes[0] == 1 } == begun + 1)
    }

    @Test func anOldKeyIsNotUsedAndThenForgotten() throws {
        let talk = try Conversation()
        talk.connect()
        talk.run(seconds: 1)
        talk.send([1], from: talk.left)
        let recorded = try #require(talk.sent.last).bytes
        talk.run(seconds: 179.5)
        #expect(!talk.left.canSend(at: talk.now))
        #expect(!talk.receive(recorded, from: talk.left.endpoint, at: talk.right))
        #expect(talk.left.peer.hasKeys)
        talk.run(seconds: 361)
        #expect(!talk.left.peer.hasKeys && !talk.right.peer.hasKeys)
    }

    @Test func aKeyIsUsedForNoMoreMessagesThanAllowed() throws {
        var timings = Timings()
        timings.rekeyAfterMessages = 20
        timings.rejectAfterMessages = 40
        let talk = try Conversation(timings: timings)
        talk.connect()
        talk.run(seconds: 6)
        for _ in 0..<21 { talk.send([1], from: talk.left) }
        talk.run(seconds: 0.1)
        // A new key was asked for before the old one was used up.
        #expect(talk.sent.count { $0.bytes[0] == 1 } == 2)
        for _ in 0..<30 { talk.send([1], from: talk.left) }
        talk.network = { _ in [] }
        for _ in 0..<100 { talk.send([1], from: talk.left) }
        #expect(!talk.left.canSend(at: talk.now))
    }

    @Test func bothMayBeginAtOnce() throws {
        let talk = try Conversation()
        talk.right.device.setCandidates([talk.left.endpoint], of: 0)
        talk.left.device.connect(0, now: talk.now)
        talk.right.device.connect(0, now: talk.now)
        talk.send([1], from: talk.left)
        talk.send([2], from: talk.right)
        talk.run(seconds: 20)
        talk.send([3], from: talk.left)
        talk.send([4], from: talk.right)
        talk.run(seconds: 1)
        #expect(talk.right.received.last?.packet.last == 3)
        #expect(talk.left.received.last?.packet.last == 4)
    }
}
