import LinuxSystem
import TestSupport
import Testing

/// What the tests of the tunnel stand on: a wire that does what it is told, and sees.
@Suite(
    .serialized,
    .enabled("\(PrivateNamespace.requirement)") { try PrivateNamespace.isPresent })
struct WireHarnessTests {
    @Test func anotherHostHasItsOwnNetworkAndItsOwnControlSockets() throws {
        let site = try InteropSite(.wireguardGo)
        let interfaces = try site.host.place.run("wg", "show", "interfaces")
        #expect(interfaces == "wg0\n")
        #expect(try Place.here.run("wg", "show", "interfaces") == "wg0\n")
        #expect(
            try site.host.place.run("wg", "show", "wg0", "public-key")
                != Place.here.run("wg", "show", "wg0", "public-key"))
    }

    @Test func everythingOfAHostGoesWithIt() throws {
        let before = try Kernel.snapshot()
        var process: Int32 = 0
        try { () throws in
            let host = try FarHost()
            let relay = try LossyRelay(
                at: host.nearV4, near: DatagramAddress(host.nearV4, 1),
                far: DatagramAddress(host.v4, 1))
            let tunnel = try WireGuardGo(
                WireGuardFile(key: WireGuardKey(), addresses: ["10.79.0.2/24"], peers: []),
                at: host.place)
            process = tunnel.pid
            #expect(try Kernel.snapshot() != before)
            #expect(Processes.isAlive(process))
            _ = relay
        }()
        #expect(!Processes.isAlive(process))
        #expect(try Kernel.snapshot() == before)
    }

    @Test func aWireLosesDoublesAndManglesAsMuchAsItIsTold() throws {
        let far = try DatagramSocket(at: "127.0.0.1")
        let near = try DatagramSocket(at: "127.0.0.1")
        let relay = try LossyRelay(at: "127.0.0.1", near: near.address, far: far.address)
        func arriving(of count: Int, _ faults: WireFaults) -> [[UInt8]] {
            relay.set(faults)
            for number in 0..<count {
                near.send([4, UInt8(number % 256), UInt8(number / 256)], to: relay.forNear)
            }
            var arrived: [[UInt8]] = []
            while let (bytes, _) = far.receive(milliseconds: 200) { arrived.append(bytes) }
            return arrived
        }
        let plain = arriving(of: 500, .none)
        #expect(plain.count == 500)
        #expect((350...450).contains(arriving(of: 500, WireFaults(lost: 20)).count))
        #expect((550...650).contains(arriving(of: 500, WireFaults(doubled: 20)).count))
        #expect(arriving(of: 10, .cut).isEmpty)
        let mixed = arriving(of: 500, WireFaults(delayed: 20))
        #expect(mixed.count == 500 && mixed != plain)
        let mangled = Set(arriving(of: 200, WireFaults(mangled: 50)))
        #expect((50...150).contains(mangled.subtracting(plain).count))
        #expect(arriving(of: 10, WireFaults(swallowed: [.transport])).isEmpty)
        #expect(relay.count(.transport, .towardFar) == 2220)
    }

    @Test func aWireThatMovesIsHeardAtBothPorts() throws {
        let far = try DatagramSocket(at: "127.0.0.1")
        let near = try DatagramSocket(at: "127.0.0.1")
        let relay = try LossyRelay(at: "127.0.0.1", near: near.address, far: far.address)
        near.send([4], to: relay.forNear)
        let former = try #require(far.receive(milliseconds: 1000)).from
        #expect(former == relay.forFar)
        let moved = try relay.move(.towardFar)
        near.send([4], to: relay.forNear)
        #expect(far.receive(milliseconds: 1000)?.from == moved)
        for address in [former, moved] {
            far.send([4, 1], to: address)
            #expect(near.receive(milliseconds: 1000)?.bytes == [4, 1])
        }
    }

    @Test func aTransferTellsWhetherAllArrived() throws {
        let host = try FarHost()
        let whole = try Transfer.run(to: host.v4, at: host.place, bytes: 1 << 20)
        #expect(whole.isWhole)
        try host.place.run("ip", "link", "set", host.farInterface, "down")
        let broken = try Transfer.run(to: host.v4, at: host.place, bytes: 1 << 20, within: 1)
        #expect(!broken.isWhole)
    }
}
