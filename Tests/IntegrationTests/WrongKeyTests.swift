import Glibc
import JSON
import TestSupport
import Testing

/// Ends that do not know each other: nothing is answered, and nothing is called connected.
@Suite(
    .serialized,
    .enabled("\(PrivateNamespace.requirement)") { try PrivateNamespace.isPresent })
struct WrongKeyTests {
    /// What is wrong with the keys of the near end's file.
    enum Mistake: CaseIterable, Sendable {
        case ownKey, keyOfThePeer, presharedKey

        func make(in near: inout WireGuardFile) throws {
            switch self {
            case .ownKey: near.key = try WireGuardKey()
            case .keyOfThePeer: near.peers[0].publicKey = try WireGuardKey().publicKey
            case .presharedKey: near.peers[0].presharedKey = try WireGuardKey.preshared()
            }
        }
    }

    @Test(arguments: InteropSite.Program.all, Mistake.allCases)
    func anInitiatorWithAWrongKeyGetsNothingThrough(
        program: InteropSite.Program,
        mistake: Mistake
    ) throws {
        let site = try site(program, .near, mistake)
        if program == .utunctl { try site.tunnel.begin() }
        #expect(try Echoes.run(to: InteropSite.farAddress, count: 3, every: 0.1).received == 0)
        let toFar = try site.wire.record(.towardFar)
        #expect((1...2).contains(toFar.counts[.initiation] ?? 0))
        #expect(toFar.total == toFar.counts[.initiation])
        let answers = try site.wire.record(.towardNear)
        if mistake == .presharedKey {
            // It comes last into the handshake: the far end cannot know yet.
            #expect(answers.total == answers.counts[.response])
        } else {
            #expect(answers.total == 0)
        }
        if program == .utunctl { #expect(try site.tunnel.word == "connecting") }
    }

    @Test(arguments: InteropSite.Program.all, Mistake.allCases)
    func aStrangerGetsNoAnswer(program: InteropSite.Program, mistake: Mistake) throws {
        let site = try site(program, .far, mistake)
        if program == .utunctl { try site.tunnel.connect() }
        let count = try Echoes.run(
            to: InteropSite.nearAddress, count: 3, every: 0.1, from: site.host.place)
        #expect(count.received == 0)
        let toNear = try site.wire.record(.towardNear)
        #expect((1...2).contains(toNear.counts[.initiation] ?? 0))
        let answers = try site.wire.record(.towardFar)
        #expect(answers.total == (mistake == .presharedKey ? answers.counts[.response] : 0))
        #expect(try Kernel.received(by: site.near.interface) == 0)
    }

    @Test(arguments: Mistake.allCases)
    func theEndSaysWhatTheProtocolLetsOneKnowAndNoMore(mistake: Mistake) throws {
        let site = try InteropSite(.utunctl) {
            $0.hasPresharedKey = true
            $0.starts = false
            $0.settings = ["startTimeout=3"]
            $0.change = { near, _ in try mistake.make(in: &near) }
        }
        let start = try site.tunnel.site.utunctl("start", "--wait", "--json", "office")
        #expect(start.status == 6, "\(start)")
        let error = try #require(Installation.parse(start.output)["error"]?.object)
        let text = error["text"]?.string ?? ""
        if mistake == .presharedKey {
            // The far end knows this one, and answers with what does not open here.
            #expect(error["code"] == .string("authenticationFailed"), "\(start)")
            #expect(text.contains("office/peer1"), "\(start)")
            #expect(text.contains("the preshared keys of the two ends differ"), "\(start)")
            #expect(error["hint"]?.string?.contains("preshared key") == true, "\(start)")
        } else {
            #expect(error["code"] == .string("serverNotResponding"), "\(start)")
            for words in ["office/peer1", "a firewall", "the keys of either end", "clock"] {
                #expect(text.contains(words), "\(start)")
            }
        }
    }

    private func site(
        _ program: InteropSite.Program,
        _ initiator: InteropSite.Initiator,
        _ mistake: Mistake
    ) throws -> InteropSite {
        try InteropSite(program) {
            $0.initiator = initiator
            $0.hasPresharedKey = true
            $0.hasRelay = true
            $0.starts = false
            $0.change = { near, _ in try mistake.make(in: &near) }
        }
    }
}
