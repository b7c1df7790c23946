/// The addresses the far end of a tunnel answers for, as numbers in order, so that a look-up
/// allocates nothing.
struct PeerAddresses: Sendable {
    private let v4: [UInt32]
    private let v6: [UInt128]

    /// Makes the set, or returns nil if an address is neither 4 nor 16 bytes long.
    init?(_ addresses: [[UInt8]]) {
        var v4: Set<UInt32> = []
        var v6: Set<UInt128> = []
        for address in addresses {
            switch address.count {
            case 4: v4.insert(address.reduce(0) { $0 << 8 | UInt32($1) })
            case 16: v6.insert(address.reduce(0) { $0 << 8 | UInt128($1) })
            default: return nil
            }
        }
        self.v4 = v4.sorted()
        self.v6 = v6.sorted()
    }

    func contains(_ address: UInt32) -> Bool {
        Self.contains(address, in: v4)
    }

    func contains(_ address: UInt128) -> Bool {
        Self.contains(address, in: v6)
    }

    @inline(__always)
    private static func contains<Address: Comparable>(
        _ address: Address,
        in sorted: [Address]
    ) -> Bool {
        var low = 0
        var high = sorted.count
        while low < high {
            let middle = low + (high - low) / 2
            if sorted[middle] == address { return true }
            if sorted[middle] < address { low = middle + 1 } else { high = middle }
        }
        return false
    }
}

/// Says whether no host may send from an IPv4 address: unspecified (0/8), loopback, multicast,
/// or reserved, broadcast included (RFC 6890).
func isImpossibleSource(_ address: UInt32) -> Bool {
    address >> 24 == 0 || address >> 24 == 127 || address >> 28 >= 0xE
}

/// Says whether no host may send from an IPv6 address: unspecified, loopback or multicast
/// (RFC 4291).
func isImpossibleSource(_ address: UInt128) -> Bool {
    address <= 1 || address >> 120 == 0xFF
}
