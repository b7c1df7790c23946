import TestSupport
import Testing

/// Wires that lose and reorder.
@Suite(
    .serialized,
    .enabled("\(PrivateNamespace.requirement)") { try PrivateNamespace.isPresent })
struct LossTests {
    @Test(arguments: InteropSite.Program.all)
    func aStreamComesWholeThroughLossAndDisorder(program: InteropSite.Program) throws {
        let site = try InteropSite(program) { $0.hasRelay = true }
        #expect(try Echoes.arrive(at: InteropSite.farAddress))
        try site.wire.set(WireFaults(lost: 20, doubled: 5, delayed: 20))
        let outcome = try Transfer.run(
            to: InteropSite.farAddress, at: site.host.place, bytes: 200_000)
        #expect(outcome.isWhole)
        // The probe must not be blind: not all that was sent has come out of the tunnel.
        let sent = try site.wire.count(.transport, .towardFar)
        #expect(try Kernel.received(by: "wg0", at: site.host.place) < sent * 9 / 10)
    }

    @Test(arguments: InteropSite.Program.all)
    func disorderAloneLosesNothing(program: InteropSite.Program) throws {
        let site = try InteropSite(program) { $0.hasRelay = true }
        #expect(try Echoes.arrive(at: InteropSite.farAddress))
        try site.wire.set(WireFaults(delayed: 50))
        // A packet is overtaken by up to twenty others.
        let count = try Echoes.run(to: InteropSite.farAddress, count: 500, every: 0.002)
        #expect(count.received == 500 && count.doubled == 0, "\(count)")
    }

    @Test(arguments: InteropSite.Program.ours)
    func aHandshakeIsRepeatedUntilItIsAnswered(program: InteropSite.Program) throws {
        let site = try InteropSite(program) {
            $0.hasRelay = true
            $0.starts = false
        }
        try site.wire.set(WireFaults(swallowed: [.response]))
        if program == .utunctl { try site.tunnel.begin() }
        _ = try Echoes.run(to: InteropSite.farAddress, count: 1)
        #expect(try eventually(seconds: 7) { try site.wire.count(.response, .towardNear) == 2 })
        try site.wire.set(.none)
        #expect(try Echoes.arrive(at: InteropSite.farAddress, within: 7))
        #expect(try site.wire.count(.initiation, .towardFar) == 3)
    }
}
