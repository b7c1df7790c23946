import TestSupport
import Testing

/// Packets of every size that is an edge.
@Suite(
    .serialized,
    .enabled("\(PrivateNamespace.requirement)") { try PrivateNamespace.isPresent })
struct PacketSizeTests {
    private static let mtu = 1420

    @Test(arguments: InteropSite.Program.all)
    func packetsUpToTheLimitPassAndNoneAboveIt(program: InteropSite.Program) throws {
        let site = try InteropSite(program)
        // The headers of ICMP with those of IPv4, and of IPv6.
        for (address, headers) in [(InteropSite.farAddress, 28), (InteropSite.farV6, 48)] {
            let largest = Self.mtu - headers
            for size in [0, 1, 3, 4, 15, 16, 17, 31, 32, 33, largest - 1, largest] {
                for place in [Place.here, site.host.place] {
                    let target =
                        place.isHere
                        ? address
                        : [InteropSite.farAddress: InteropSite.nearAddress][address]
                            ?? InteropSite.nearV6
                    let count = try Echoes.run(
                        to: target, count: 2, options: ["-M", "do", "-s", "\(size)"], from: place)
                    #expect(count.received == 2, "\(size) bytes to \(target)")
                }
            }
            let result = try Command.run([
                "ping", "-n", "-c", "1", "-W", "1", "-M", "do", "-s", "\(largest + 1)", address,
            ])
            #expect(result.errors.contains("too long") || result.output.contains("too big"))
            #expect(result.status != 0)
        }
    }

    @Test(arguments: InteropSite.Program.all)
    func fragmentsPass(program: InteropSite.Program) throws {
        let site = try InteropSite(program)
        for address in [InteropSite.farAddress, InteropSite.farV6] {
            for size in [1500, 8000, 65_000] {
                let count = try Echoes.run(to: address, count: 2, options: ["-s", "\(size)"])
                #expect(count.received == 2, "\(size) bytes to \(address)")
            }
        }
        _ = site
    }

    @Test(arguments: InteropSite.Program.all)
    func streamsInBothDirectionsAndFamiliesArriveWhole(program: InteropSite.Program) throws {
        let site = try InteropSite(program)
        for (sender, address, receiver) in [
            (Place.here, InteropSite.farAddress, site.host.place),
            (site.host.place, InteropSite.nearAddress, Place.here),
            (Place.here, InteropSite.farV6, site.host.place),
            (site.host.place, InteropSite.nearV6, Place.here),
        ] {
            let outcome = try Transfer.run(
                from: sender, to: address, at: receiver, bytes: 32 << 20)
            #expect(outcome.isWhole, "to \(address)")
        }
    }
}
