import TestSupport
import Testing

/// The first packets between our end and Debian's wireguard-go, whoever begins.
@Suite(
    .serialized,
    .enabled("\(PrivateNamespace.requirement)") { try PrivateNamespace.isPresent })
struct HandshakeTests {
    @Test(arguments: InteropSite.Program.all, InteropSite.Underlay.allCases)
    func theInitiatorReachesItsPeer(
        program: InteropSite.Program,
        underlay: InteropSite.Underlay
    ) throws {
        let site = try InteropSite(program) { $0.underlay = underlay }
        try expectEchoes(site)
        let endpoint = try site.far.show("endpoints")[site.nearFile.key.publicKey]
        let near = underlay == .v4 ? site.host.nearV4 : "[\(site.host.nearV6)]"
        #expect(endpoint == "\(near):\(InteropSite.port)")
    }

    @Test(arguments: InteropSite.Program.all, InteropSite.Underlay.allCases)
    func theResponderIsReached(
        program: InteropSite.Program,
        underlay: InteropSite.Underlay
    ) throws {
        let site = try InteropSite(program) {
            $0.initiator = .far
            $0.underlay = underlay
        }
        #expect(try !site.handshakeIsDone())
        // Asked by the far end alone: the near one knows no endpoint.
        #expect(
            try Echoes.run(
                to: InteropSite.nearAddress, count: 5, from: site.host.place
            ).received == 5)
        try expectEchoes(site)
    }

    @Test(arguments: InteropSite.Program.all, InteropSite.Initiator.allCases)
    func aPresharedKeyIsMixedIn(
        program: InteropSite.Program,
        initiator: InteropSite.Initiator
    ) throws {
        let site = try InteropSite(program) {
            $0.initiator = initiator
            $0.hasPresharedKey = true
        }
        #expect(
            try initiator == .near
                || Echoes.arrive(at: InteropSite.nearAddress, from: site.host.place))
        try expectEchoes(site)
    }

    @Test(arguments: InteropSite.Program.all)
    func whatGoesOverTheWireHasTheLengthsOfTheProtocol(program: InteropSite.Program) throws {
        let site = try InteropSite(program) { $0.hasRelay = true }
        for size in [0, 1, 15, 16, 17, 1000] {
            let count = try Echoes.run(
                to: InteropSite.farAddress, count: 1, options: ["-s", "\(size)"])
            #expect(count.received == 1, "\(size)")
        }
        for direction in Direction.allCases {
            let record = try site.wire.record(direction)
            #expect(record.strange == 0)
            for message in WireMessage.allCases {
                let lengths = record.lengths[message] ?? []
                if let length = message.length {
                    #expect(lengths.isSubset(of: [length]), "\(message): \(lengths)")
                } else {
                    // Padded, and so telling less of what is inside.
                    #expect(!lengths.isEmpty && lengths.allSatisfy { $0 % 16 == 0 })
                }
            }
        }
        #expect(try site.wire.count(.initiation, .towardFar) == 1)
        #expect(try site.wire.count(.response, .towardNear) == 1)
    }

    @Test func twoEndsOfOursReachEachOther() throws {
        let site = try InteropSite(.wireguardGo)
        site.far.stop()
        (site.near as? WireGuardGo)?.stop()
        let far = try EnrolledTunnel(site.farFile, at: Installation(at: site.host.place))
        try far.connect()
        let near = try EnrolledTunnel(site.nearFile, at: Installation())
        try near.connect()
        for address in [InteropSite.farAddress, InteropSite.farV6] {
            #expect(try Echoes.run(to: address, count: 5).received == 5, "\(address)")
        }
    }

    private func expectEchoes(_ site: InteropSite) throws {
        for address in [InteropSite.farAddress, InteropSite.farV6] {
            #expect(try Echoes.run(to: address, count: 5).received == 5, "\(address)")
        }
        #expect(try site.handshakeIsDone())
    }
}
