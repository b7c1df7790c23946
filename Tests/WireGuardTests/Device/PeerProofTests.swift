import Testing
import TunnelModel

@testable import WireGuard

struct PeerProofTests {
    @Test func initiationsAreRepeatedEveryFiveSecondsForNinety() throws {
        let talk = try Conversation()
        talk.network = { _ in [] }
        talk.connect()
        talk.run(seconds: 300)
        let times = talk.sent.filter { $0.bytes[0] == 1 }.map(\.time)
        #expect(times.count == 19)
        for (one, next) in zip(times, times.dropFirst()) {
            #expect(
                (Timings.seconds(5)...Timings.seconds(5) + Timings.seconds(1) / 3).contains(
                    next - one))
        }
    }

    @Test func aTunnelThatHasToProveItselfNeverGivesUp() throws {
        let talk = try Conversation(livenessInterval: Timings.seconds(120))
        talk.network = { _ in [] }
        talk.connect()
        talk.run(seconds: 600)
        talk.network = { [$0] }
        talk.run(seconds: 16)
        #expect(talk.left.peer.isProven)
    }

    @Test func anUnansweredInitiationCountsAfterFifteenSeconds() throws {
        let talk = try Conversation(livenessInterval: Timings.seconds(120))
        talk.connect()
        talk.run(seconds: 1)
        #expect(talk.left.peer.isProven)
        talk.network = { _ in [] }
        talk.run(seconds: 118)
        #expect(talk.left.peer.isProven)
        // The proof is renewed after 120 s, and 15 s later it has not come.
        talk.run(seconds: 18)
        #expect(talk.left.peer.isUnanswered && !talk.left.peer.isProven)
        talk.left.device.hasNews = false
        talk.network = { [$0] }
        talk.run(seconds: 6)
        let hasNews = talk.left.device.hasNews
        #expect(talk.left.peer.isProven && hasNews)
    }

    @Test func aProofIsRenewedInAnIdleTunnel() throws {
        let talk = try Conversation(livenessInterval: Timings.seconds(60))
        talk.connect()
        talk.run(seconds: 3600)
        let initiations = talk.sent.count { $0.bytes[0] == 1 }
        #expect((55...61).contains(initiations))
        #expect(talk.now - (talk.left.peer.lastVerified ?? 0) <= Timings.seconds(62))
    }

    @Test func anIntervalShorterThanThatOfInitiationsEndsNothing() throws {
        let talk = try Conversation(livenessInterval: Timings.seconds(1))
        talk.connect()
        talk.run(seconds: 61)
        #expect((12...13).contains(talk.sent.count { $0.bytes[0] == 1 }))
        talk.network = { _ in [] }
        talk.run(seconds: 21)
        #expect(talk.left.peer.isUnanswered)
    }

    @Test func aClockThatIsSetBackLocksNobodyOut() throws {
        let talk = try Conversation(livenessInterval: Timings.seconds(60))
        talk.connect()
        talk.run(seconds: 30)
        talk.wallClockStep = -Timings.seconds(3600)
        talk.run(seconds: 600)
        #expect(talk.left.peer.isProven)
        #expect(talk.now - (talk.left.peer.lastVerified ?? 0) <= Timings.seconds(62))
    }

    @Test func trafficIsProofEnough() throws {
        let talk = try Conversation(livenessInterval: Timings.seconds(60))
        talk.connect()
        for _ in 0..<110 {
            talk.send([1], from: talk.right)
            talk.run(seconds: 1)
        }
        #expect(talk.sent.count { $0.bytes[0] == 1 } == 1)
    }

    @Test func anIdleTunnelThatNeedNotProveItselfIsSilent() throws {
        let talk = try Conversation()
        talk.connect()
        talk.run(seconds: 1)
        let sent = talk.sent.count
        talk.run(seconds: 7200)
        #expect(talk.sent.count == sent)
        let next = talk.left.device.nextTick
        #expect(next == PeerTimers.never)
    }

    @Test func aKeepaliveGoesOutAsOftenAsAsked() throws {
        let talk = try Conversation(persistentKeepalive: Timings.seconds(25))
        talk.connect()
        talk.run(seconds: 1)
        let before = talk.sent.count { $0.fromLeft && $0.bytes.count == 32 }
        talk.run(seconds: 100)
        let keepalives = talk.sent.filter { $0.fromLeft && $0.bytes.count == 32 }.count - before
        #expect((3...4).contains(keepalives))
    }

    @Test func allAddressesAreTriedInTurn() throws {
        let dead = [3, 4].map { Conversation.endpoint($0) }
        let talk = try Conversation(candidates: dead + [Conversation.endpoint(2)])
        talk.connect()
        talk.run(seconds: 12)
        #expect(talk.left.peer.isProven)
        #expect(talk.left.peer.endpoint == Conversation.endpoint(2))
    }

    @Test func anAddressThatCannotBeReachedIsLeftAtOnce() throws {
        let talk = try Conversation(candidates: [
            Conversation.endpoint(3), Conversation.endpoint(2),
        ])
        talk.connect()
        talk.left.device.unreachable(0, now: talk.now)
        talk.run(seconds: 0.1)
        #expect(talk.left.peer.isProven)
    }

    @Test func newAddressesMoveAPeerThatDoesNotAnswer() throws {
        let talk = try Conversation(livenessInterval: Timings.seconds(30))
        talk.connect()
        talk.run(seconds: 1)
        // Heard of where it is: what a name says does not matter.
        talk.left.device.setCandidates([Conversation.endpoint(9)], of: 0)
        #expect(talk.left.peer.endpoint.address == Conversation.endpoint(2).address)
        talk.right.endpoint = Conversation.endpoint(7)
        talk.run(seconds: 40)
        #expect(!talk.left.peer.isProven || talk.left.peer.attempts > 0)
        talk.left.device.setCandidates([Conversation.endpoint(7)], of: 0)
        talk.run(seconds: 6)
        #expect(talk.left.peer.isProven)
    }
}
