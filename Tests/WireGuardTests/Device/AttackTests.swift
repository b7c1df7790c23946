import TestSupport
import Testing

@testable import WireGuard

struct AttackTests {
    @Test func aReplayedMessageIsRefused() throws {
        let talk = try Conversation()
        talk.connect()
        talk.run(seconds: 1)
        talk.send([1], from: talk.left)
        talk.run(seconds: 1)
        let recorded = try #require(talk.sent.last { $0.fromLeft }).bytes
        #expect(talk.right.received.count == 1)
        for _ in 0..<3 {
            #expect(!talk.receive(recorded, from: talk.left.endpoint, at: talk.right))
        }
        #expect(talk.right.drops.replayed == 3)
    }

    @Test func aReplayedInitiationIsNotAnswered() throws {
        let talk = try Conversation()
        talk.connect()
        talk.run(seconds: 2)
        let recorded = try #require(talk.sent.first { $0.bytes[0] == 1 }).bytes
        talk.receive(recorded, from: Conversation.endpoint(66), at: talk.right)
        #expect(talk.right.outgoing.isEmpty)
        #expect(talk.right.peer.endpoint.address == talk.left.endpoint.address)
    }

    @Test(arguments: [1, 2, 4])
    func aMessageOfWhichOneBitIsWrongChangesNothing(kind: UInt8) throws {
        let talk = try Conversation()
        var held: [Conversation.Flight] = []
        talk.network = { flight in
            guard flight.bytes[0] == kind else { return [flight] }
            held.append(flight)
            return []
        }
        talk.connect()
        talk.run(seconds: 0.5)
        if kind == 4 {
            held = []
            talk.send([UInt8](repeating: 5, count: 40), from: talk.left)
        }
        let flight = try #require(held.first)
        let target = kind == 2 ? talk.left : talk.right
        let before = target.peer
        let last = kind == 4 ? flight.bytes.count : flight.bytes.count - 16
        for place in 0..<last {
            for bit in [0, 7] {
                var mangled = flight.bytes
                mangled[place] ^= 1 << bit
                talk.receive(mangled, from: Conversation.endpoint(66), at: target)
                #expect(target.outgoing.isEmpty)
            }
        }
        #expect(target.peer.endpoint == before.endpoint)
        #expect(target.received.isEmpty)
        #expect(target.peer.lastVerified == before.lastVerified)
        // The true one is still taken.
        let outcome = talk.receive(flight.bytes, from: flight.from, at: target)
        #expect(outcome == (kind == 4) || !target.outgoing.isEmpty)
    }

    @Test func bytesOfAnyKindAndLengthAreSurvivedInSilence() throws {
        let talk = try Conversation()
        talk.connect()
        talk.run(seconds: 1)
        var generator = SeededGenerator(seed: 3)
        for length in 0..<400 {
            for kind: UInt8 in 0...5 {
                var bytes = (0..<length).map { _ in UInt8(truncatingIfNeeded: generator.next()) }
                for place in 0..<min(4, length) { bytes[place] = place == 0 ? kind : 0 }
                talk.receive(bytes, from: Conversation.endpoint(66), at: talk.right)
            }
        }
        #expect(talk.right.outgoing.isEmpty)
        #expect(talk.right.received.isEmpty)
        #expect(talk.right.peer.isProven)
    }

    @Test func wrongKeysOnEitherSideAreNotAnswered() throws {
        let talk = try Conversation(presharedKeys: (7, 8))
        talk.connect()
        talk.run(seconds: 30)
        #expect(!talk.left.peer.isProven && !talk.right.peer.isProven)
        #expect(talk.left.drops.forged > 0)
    }

    @Test func aPeerSpeaksForItsOwnAddressesAlone() throws {
        let talk = try Conversation()
        talk.connect()
        talk.run(seconds: 1)
        // The left one sends what the right one does not let it.
        let packet = Conversation.packet(from: 77, to: 2, [1])
        var message = [UInt8](repeating: 0, count: 32 + Device.overhead)
        message.replaceSubrange(
            Device.headerBytes..<Device.headerBytes + packet.count, with: packet)
        message.withUnsafeMutableBytes { buffer in
            if let start = buffer.baseAddress { talk.left.device.seal(start, count: 32, for: 0) }
        }
        #expect(!talk.receive(message, from: talk.left.endpoint, at: talk.right))
        #expect(talk.right.drops.foreignSource == 1)
    }

    @Test func aPeerThatMovesIsFollowedByWhatItProves() throws {
        let talk = try Conversation()
        talk.connect()
        talk.run(seconds: 1)
        talk.left.endpoint = Conversation.endpoint(9)
        talk.send([1], from: talk.left)
        talk.run(seconds: 0.1)
        #expect(talk.right.peer.endpoint.address == Conversation.endpoint(9).address)
        talk.send([2], from: talk.right)
        talk.run(seconds: 0.1)
        #expect(talk.left.received.count == 1)
    }

    @Test func aFloodIsAnsweredByCookiesAndTheTruePeerGetsIn() throws {
        let talk = try Conversation()
        let stranger = try Conversation()
        // Initiations of somebody who knows the public key, from all over the world.
        stranger.network = { _ in [] }
        stranger.connect()
        let flood = try #require(stranger.sent.first).bytes
        for number in 0..<200 {
            talk.receive(flood, from: Conversation.endpoint(UInt8(number)), at: talk.right)
        }
        let cookies = talk.right.device.outgoing.filter { $0.bytes[0] == 3 }
        #expect(cookies.count > 100)
        #expect(cookies.allSatisfy { $0.bytes.count == 64 })
        talk.right.device.outgoing = []
        var sawCookie = false
        talk.network = { flight in
            if flight.bytes[0] == 3 { sawCookie = true }
            return [flight]
        }
        talk.connect()
        for _ in 0..<60 {
            for number in 0..<50 {
                talk.receive(
                    flood, from: Conversation.endpoint(UInt8(100 + number)), at: talk.right)
                talk.right.device.outgoing.removeAll {
                    $0.endpoint.address != talk.left.endpoint.address
                }
            }
            talk.run(seconds: 0.1)
        }
        #expect(sawCookie)
        #expect(talk.left.peer.isProven)
    }
}
