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
        let echoes = [
            try Echoes(to: InteropSite.farAddress, count: 800, every: 0.005),
            try Echoes(
                to: InteropSite.nearAddress, count: 800, every: 0.005, from: site.host.place),
        ]
        var changes = 0
        while try !echoes.allSatisfy({ try $0.isDone }) && changes < 100 {
            try site.far.expireSessions(of: site.farFile)
            changes += 1
            usleep(300_000)
        }
        for each in echoes {
            let count = try each.finish()
            #expect(count.sent == 800 && count.lost == 0 && count.doubled == 0, "\(count)")
        }
        let handshakes = try site.wire.count(.initiation, .towardNear) - before
        #expect(changes >= 5 && handshakes >= changes - 1, "\(handshakes) of \(changes)")
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
