import Glibc
import TestSupport
import Testing

/// Keepalives: as often as they are asked for, and never else.
@Suite(
    .serialized,
    .enabled("\(PrivateNamespace.requirement)") { try PrivateNamespace.isPresent })
struct KeepaliveTests {
    @Test(arguments: InteropSite.Program.all)
    func anIdleTunnelIsKeptOpenAsOftenAsItIsAskedTo(program: InteropSite.Program) throws {
        let site = try InteropSite(program) {
            $0.hasRelay = true
            $0.nearKeepalive = 1
        }
        // The first one needs no traffic either: it begins the handshake.
        #expect(try eventually { try site.wire.count(.response, .towardNear) == 1 })
        let before = try site.wire.record(.towardFar).keepalives
        sleep(4)
        let sent = try site.wire.record(.towardFar).keepalives - before
        #expect((3...5).contains(sent), "\(sent)")
    }

    @Test(arguments: InteropSite.Program.all)
    func anIdleTunnelThatIsNotAskedToSaysNothing(program: InteropSite.Program) throws {
        let site = try InteropSite(program) { $0.hasRelay = true }
        #expect(try Echoes.run(to: InteropSite.farAddress, count: 1).received == 1)
        let before = try Direction.allCases.map { try site.wire.record($0).total }
        sleep(4)
        #expect(try Direction.allCases.map { try site.wire.record($0).total } == before)
    }

    @Test(arguments: InteropSite.Program.ours)
    func dataThatGetsNoAnswerIsAcknowledgedAfterTenSeconds(program: InteropSite.Program) throws {
        let site = try InteropSite(program) { $0.hasRelay = true }
        #expect(try Echoes.run(to: InteropSite.farAddress, count: 1).received == 1)
        // From the far end comes something that nobody answers, the kernel's refusal included.
        let listener = try DatagramSocket(at: InteropSite.nearAddress, port: 9)
        try site.host.place.run(
            "/usr/bin/python3", "-c",
            """
            import socket
            socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(
                b"x", ("\(InteropSite.nearAddress)", 9))
            """)
        #expect(listener.receive(milliseconds: 1000)?.bytes == [0x78])
        let before = try site.wire.record(.towardFar).keepalives
        sleep(8)
        #expect(try site.wire.record(.towardFar).keepalives == before)
        #expect(
            try eventually(seconds: 4) {
                try site.wire.record(.towardFar).keepalives == before + 1
            })
    }
}
