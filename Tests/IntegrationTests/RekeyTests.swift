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

    @Test func noPacketIsLostWhileOurEndChangesItsKeys() throws {
        // What only goes out proves nothing: with every five seconds comes a handshake of ours.
        let site = try InteropSite(.utunctl) {
            $0.hasRelay = true
            $0.settings = ["livenessInterval=1"]
        }
        let counter = try site.host.place.daemon([
            "/usr/bin/python3", "-u", "-c", Self.countDatagrams, InteropSite.farAddress,
        ])
        #expect(try counter.output(until: "ready").contains("ready"))
        let before = try site.wire.count(.initiation, .towardFar)
        let socket = try DatagramSocket(at: InteropSite.nearAddress)
        let address = try DatagramAddress(InteropSite.farAddress, 7001)
        for number in 0..<12_000 {
            socket.send(Array("\(number)".utf8), to: address)
            usleep(1000)
        }
        for _ in 0..<3 { socket.send(Array("end".utf8), to: address) }
        #expect(try counter.finish(seconds: 5).output.hasSuffix("12000 in order\n"))
        #expect(try site.wire.count(.initiation, .towardFar) - before >= 2)
    }

    private static let countDatagrams = """
        import socket, sys
        one = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        one.setsockopt(socket.SOL_SOCKET, 33, 4 << 20)  # SO_RCVBUFFORCE
        one.bind((sys.argv[1], 7001))
        print("ready")
        numbers = []
        while (data := one.recv(100)) != b"end":
            numbers.append(int(data))
        print(len(numbers), "in order" if numbers == sorted(set(numbers)) else "mixed")
        """
}
