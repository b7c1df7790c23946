import TestSupport
import Testing
import TunnelModel

@testable import WireGuard

struct AllowedAddressesTests {
    @Test(arguments: [IPAddress.Family.v4, .v6])
    func theLongestPrefixWins(family: IPAddress.Family) throws {
        var generator = SeededGenerator(seed: 17)
        for _ in 0..<20 {
            var table = AllowedAddresses()
            var prefixes: [IPPrefix: Int32] = [:]
            for peer in 0..<300 {
                // Close together, so that they nest.
                let number =
                    family == .v4
                    ? UInt128(0x0A00_0000 | generator.next() % 4096)
                    : UInt128(0x2001_0db8) << 96 | UInt128(generator.next() % 4096)
                let length = Int(generator.next() % UInt64(family.bitWidth + 1))
                let address =
                    family == .v4
                    ? IPAddress(v4: UInt32(truncatingIfNeeded: number)) : IPAddress(v6: number)
                let prefix = try #require(IPPrefix(address: address, length: length))
                table.insert(prefix, peer: Int32(peer))
                prefixes[prefix.masked] = Int32(peer)
            }
            for _ in 0..<300 {
                let number =
                    family == .v4
                    ? UInt128(0x0A00_0000 | generator.next() % 5000)
                    : UInt128(0x2001_0db8) << 96 | UInt128(generator.next() % 5000)
                let address =
                    family == .v4
                    ? IPAddress(v4: UInt32(truncatingIfNeeded: number)) : IPAddress(v6: number)
                let expected =
                    prefixes.filter { $0.key.contains(address) }
                    .max { $0.key.length < $1.key.length }?.value ?? AllowedAddresses.none
                let found =
                    family == .v4
                    ? table.peer(ofV4: AllowedAddresses.Key(v4: UInt32(truncatingIfNeeded: number)))
                    : table.peer(
                        ofV6: AllowedAddresses.Key(
                            high: UInt64(truncatingIfNeeded: number >> 64),
                            low: UInt64(truncatingIfNeeded: number)))
                #expect(found == expected)
            }
        }
    }

    @Test func anEmptyTableKnowsNobody() {
        let table = AllowedAddresses()
        let found = table.peer(ofV4: AllowedAddresses.Key(v4: 1))
        #expect(found == AllowedAddresses.none)
    }
}
