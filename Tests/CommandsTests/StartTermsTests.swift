import Testing
import TunnelModel

@testable import Commands

@Suite struct StartTermsTests {
    private func terms(_ arguments: String...) throws -> StartTerms {
        let invocation = try Invocation(parsing: ["start"] + arguments, verbs: [Verb.start.syntax])
        return try StartTerms(invocation)
    }

    @Test func nobodySaidIsAPersonNow() throws {
        let terms = try terms("office")
        #expect(terms.origin == .user)
        #expect(terms.statedOrigin == nil)
        #expect(!terms.waitsForTraffic)
    }

    @Test func onDemandMayWaitForTraffic() throws {
        let terms = try terms("--origin", "ondemand", "--when", "traffic", "office")
        #expect(terms.origin == .ondemand)
        #expect(terms.waitsForTraffic)
        #expect(try !self.terms("--when=now", "office").waitsForTraffic)
    }

    /// systemd says itself who it is, and a start that waits has nothing to wait for yet.
    @Test(arguments: [
        ["--origin", "systemd"], ["--origin", "nobody"], ["--when", "later"], ["--when", ""],
        ["--when", "traffic", "--wait"],
    ])
    func anythingElseIsAMisuse(arguments: [String]) throws {
        let invocation = try Invocation(
            parsing: ["start"] + arguments + ["office"], verbs: [Verb.start.syntax])
        #expect(throws: Failure.self) { try StartTerms(invocation) }
    }
}
