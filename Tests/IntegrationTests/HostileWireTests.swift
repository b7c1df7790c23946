import Glibc
import TestSupport
import Testing

/// Whatever else arrives: copies, damage and inventions.
@Suite(
    .serialized,
    .enabled("\(PrivateNamespace.requirement)") { try PrivateNamespace.isPresent })
struct HostileWireTests {
    @Test(arguments: InteropSite.Program.all)
    func aCopyOfEveryMessageDoublesNothing(program: InteropSite.Program) throws {
        let site = try InteropSite(program) {
            $0.hasRelay = true
            $0.starts = false
        }
        try site.wire.set(WireFaults(doubled: 100))
        if program == .utunctl { try site.tunnel.connect() }
        let count = try Echoes.run(to: InteropSite.farAddress, count: 200)
        #expect(count.received == 200 && count.doubled == 0, "\(count)")
        // The far end's kernel saw each echo once as well.
        let back = try Echoes.run(
            to: InteropSite.nearAddress, count: 200, from: site.host.place)
        #expect(back.received == 200 && back.doubled == 0, "\(back)")
        #expect(try site.wire.count(.response, .towardNear) == 1)
    }

    @Test(arguments: InteropSite.Program.all)
    func anOldMessageIsNotTakenAgain(program: InteropSite.Program) throws {
        let site = try InteropSite(program) {
            $0.hasRelay = true
            $0.initiator = .both
        }
        #expect(try Echoes.run(to: InteropSite.farAddress, count: 20).received == 20)
        let old = try site.wire.record(.towardNear).last
        let data = try #require(old[.transport])
        let before = try Kernel.received(by: site.near.interface)
        #expect(before >= 20)
        for _ in 0..<50 { try site.wire.inject(data, .towardNear) }
        usleep(200_000)
        #expect(try Kernel.received(by: site.near.interface) == before)
        // Nor is a handshake done again that has been done.
        try site.far.expireSessions(of: site.farFile)
        #expect(try Echoes.arrive(at: InteropSite.nearAddress, from: site.host.place))
        let initiation = try #require(try site.wire.record(.towardNear).last[.initiation])
        let answered = try site.wire.count(.response, .towardFar)
        #expect(answered >= 1)
        for _ in 0..<5 {
            usleep(30_000)
            try site.wire.inject(initiation, .towardNear)
        }
        usleep(200_000)
        #expect(try site.wire.count(.response, .towardFar) == answered)
    }

    @Test(arguments: InteropSite.Program.all)
    func damagedMessagesAreLostAndDoNoMore(program: InteropSite.Program) throws {
        let site = try InteropSite(program) { $0.hasRelay = true }
        #expect(try Echoes.arrive(at: InteropSite.farAddress))
        try site.wire.set(WireFaults(mangled: 20))
        let count = try Echoes.run(to: InteropSite.farAddress, count: 200)
        // Of a hundred, 64 come through both ways.
        #expect((80...180).contains(count.received), "\(count)")
        try site.wire.set(WireFaults(mangled: 3))
        #expect(
            try Transfer.run(
                to: InteropSite.farAddress, at: site.host.place, bytes: 1 << 20
            ).isWhole)
        try site.wire.set(.none)
        #expect(try Echoes.run(to: InteropSite.farAddress, count: 20).received == 20)
    }

    @Test(arguments: InteropSite.Program.all)
    func inventedDatagramsGetNoAnswer(program: InteropSite.Program) throws {
        let site = try InteropSite(program) {
            $0.initiator = .far
            $0.hasRelay = true
        }
        let stranger = try DatagramSocket(at: site.host.nearV4)
        let near = try DatagramAddress(site.host.nearV4, InteropSite.port)
        // The probe must not be blind: an initiation that is genuine and new is answered, to
        // whoever brings it.
        try site.wire.set(WireFaults(swallowed: [.initiation]), .towardNear)
        _ = try Echoes.run(to: InteropSite.nearAddress, count: 1, from: site.host.place)
        let genuine = try #require(try site.wire.record(.towardNear).last[.initiation])
        var random = SeededGenerator(seed: 7)
        for message in Self.inventions(from: genuine, &random) {
            stranger.send(message, to: near)
        }
        #expect(stranger.receive(milliseconds: 500) == nil)
        stranger.send(genuine, to: near)
        let answer = stranger.receive(milliseconds: 1000)?.bytes ?? []
        #expect(WireMessage(answer) == .response && answer.count == 92)

        try site.wire.set(.none)
        #expect(
            try Echoes.arrive(
                at: InteropSite.nearAddress, from: site.host.place, within: 12))
    }

    /// Datagrams of all lengths that matter and kinds, and the genuine one with each byte wrong.
    private static func inventions(from genuine: [UInt8], _ random: inout SeededGenerator)
        -> [[UInt8]]
    {
        var messages: [[UInt8]] = []
        let lengths = [0, 1, 3, 4, 31, 32, 33, 63, 64, 91, 92, 93, 147, 148, 149, 1420, 9000]
        for kind in [0, 1, 2, 3, 4, 5, 255] as [UInt8] {
            for length in lengths {
                var message = (0..<length).map { _ in UInt8(random.next() & 0xFF) }
                if length > 0 { message[0] = kind }
                for place in 1..<max(1, min(4, length)) { message[place] = 0 }
                messages.append(message)
            }
        }
        // The last 16 bytes are the second MAC, which counts under load alone.
        for place in genuine.indices.dropLast(16) {
            var message = genuine
            message[place] ^= 1
            messages.append(message)
        }
        messages.append(genuine + [0])
        messages.append(genuine.dropLast())
        return messages
    }
}
