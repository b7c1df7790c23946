import Glibc
import TestSupport
import Testing

/// New keys while packets flow.
@Suite(
    .serialized,
    .enabled("\(PrivateNamespace.requirement)") { try PrivateNamespace.isPresent })
struct RekeyTests {
    @Test(arguments: InteropSite.Program.all)
    func noEchoIsLostWhileThePeerChangesItsKeys(program: InteropSite.Program) throws {
        let site = try InteropSite(program) {
            $0.hasRelay = true
            $0.initiator = .both
        }
        #expect(try Echoes.arrive(at: InteropSite.farAddress))
        let before = try site.wire.count(.initiation, .towardNear)
        let echoes = try Echoes(to: InteropSite.farAddress, every: 0.005)
        let back = try Echoes(
            to: InteropSite.nearAddress, every: 0.005, from: site.host.place)
        for _ in 0..<10 {
            usleep(300_000)
            try site.far.expireSessions(of: site.farFile)
        }
        usleep(300_000)
        let counts = try [echoes.finish(), back.finish()]
        #expect(counts.allSatisfy { $0.sent > 400 && $0.lost == 0 && $0.doubled == 0 }, "\(counts)")
        #expect(try site.wire.count(.initiation, .towardNear) - before >= 10)
    }

    @Test(arguments: InteropSite.Program.all)
    func aStreamSurvivesThatThePeerChangesItsKeys(program: InteropSite.Program) throws {
        let site = try InteropSite(program) { $0.initiator = .both }
        #expect(try Echoes.arrive(at: InteropSite.farAddress))
        var changes = 0
        for (sender, address, receiver) in [
            (Place.here, InteropSite.farAddress, site.host.place),
            (site.host.place, InteropSite.nearAddress, Place.here),
        ] {
            let transfer = try Transfer(
                from: sender, to: address, at: receiver, bytes: 100 << 20)
            while try !transfer.isDone && changes < 1000 {
                try site.far.expireSessions(of: site.farFile)
                changes += 1
                usleep(100_000)
            }
            #expect(try transfer.finish().isWhole)
        }
        #expect(changes >= 5)
    }
}
