import TestSupport
import Testing

/// An end that comes back and knows nothing of the session.
@Suite(
    .serialized,
    .enabled("\(PrivateNamespace.requirement)") { try PrivateNamespace.isPresent })
struct PeerRestartTests {
    @Test(arguments: InteropSite.Program.ours)
    func aPeerThatComesBackIsFoundAgain(program: InteropSite.Program) throws {
        let site = try InteropSite(program)
        #expect(try Echoes.run(to: InteropSite.farAddress, count: 3).received == 3)
        try site.restartFar()
        // Ten seconds for an answer, five for the handshake that is begun then.
        #expect(try Echoes.arrive(at: InteropSite.farAddress, within: 20))
    }

    @Test(arguments: InteropSite.Program.all)
    func aPeerThatComesBackAndBeginsIsHeardAtOnce(program: InteropSite.Program) throws {
        let site = try InteropSite(program) { $0.initiator = .both }
        #expect(try Echoes.run(to: InteropSite.farAddress, count: 3).received == 3)
        try site.restartFar()
        #expect(
            try Echoes.arrive(at: InteropSite.nearAddress, from: site.host.place, within: 2))
        #expect(try Echoes.run(to: InteropSite.farAddress, count: 3).received == 3)
    }

    @Test(arguments: InteropSite.Program.all)
    func ourEndComesBackAtOnce(program: InteropSite.Program) throws {
        let site = try InteropSite(program)
        for _ in 0..<3 {
            #expect(try Echoes.arrive(at: InteropSite.farAddress, within: 2))
            try site.restartNear()
        }
        #expect(try Echoes.arrive(at: InteropSite.farAddress, within: 2))
    }
}
