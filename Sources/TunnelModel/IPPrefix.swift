/// An address with a prefix length: a network, or an interface address with its host bits.
package struct IPPrefix: Hashable, Sendable {
    /// The address, host bits kept.
    package let address: IPAddress

    /// How many leading bits belong to the network.
    package let length: Int

    /// The prefix of this length; nil where the family has no such length.
    package init?(address: IPAddress, length: Int) {
        guard length >= 0, length <= address.family.bitWidth else { return nil }
        self.address = address
        self.length = length
    }

    /// The prefix that holds this one address alone.
    package init(host address: IPAddress) {
        self.address = address
        length = address.family.bitWidth
    }

    /// Reads `address/length`, or a bare address as a prefix of full length.
    package init?(_ text: String) {
        guard let slash = text.utf8.firstIndex(of: UInt8(ascii: "/")) else {
            guard let address = IPAddress(text) else { return nil }
            self.init(host: address)
            return
        }
        let digits = text.utf8[text.utf8.index(after: slash)...]
        guard let address = IPAddress(text.utf8[..<slash]),
            (1...3).contains(digits.count),
            digits.count == 1 || digits.first != UInt8(ascii: "0"),
            digits.allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains)
        else { return nil }
        self.init(
            address: address,
            length: digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
        )
    }

    /// The address family.
    package var family: IPAddress.Family { address.family }

    /// The same network, host bits cleared.
    package var masked: IPPrefix {
        IPPrefix(uncheckedAddress: IPAddress(family, first), length: length)
    }

    /// Whether any bit beyond the length is set.
    package var hasHostBits: Bool { address.number != first }

    /// Whether this is a default route: the whole address family.
    package var isDefault: Bool { length == 0 }

    /// Whether this is one address alone.
    package var isHost: Bool { length == family.bitWidth }

    /// All of IPv4.
    package static let defaultV4 = IPPrefix(uncheckedAddress: IPAddress(v4: 0), length: 0)

    /// All of IPv6.
    package static let defaultV6 = IPPrefix(uncheckedAddress: IPAddress(v6: 0), length: 0)

    /// The addresses of IPv6 that are good on one link alone.
    package static let linkLocalV6 = IPPrefix(
        uncheckedAddress: IPAddress(v6: 0xFE80 << 112), length: 10)

    /// Whether the address lies in this network.
    package func contains(_ address: IPAddress) -> Bool {
        address.family == family && address.number & mask == first
    }

    /// Whether the whole of the other network lies in this one.
    package func contains(_ other: IPPrefix) -> Bool {
        other.length >= length && contains(other.address)
    }

    /// Whether the networks together make up the whole address family, as 0.0.0.0/1 and
    /// 128.0.0.0/1 do.
    package static func coversWholeFamily(
        _ prefixes: [IPPrefix],
        _ family: IPAddress.Family
    ) -> Bool {
        var uncovered: UInt128 = 0
        for prefix in prefixes.filter({ $0.family == family }).map(\.masked).sorted() {
            guard prefix.first <= uncovered else { return false }
            if prefix.last == family.highest { return true }
            uncovered = max(uncovered, prefix.last + 1)
        }
        return false
    }

    private var mask: UInt128 {
        let hostBits = family.bitWidth - length
        return (family.highest >> hostBits) << hostBits
    }

    private var first: UInt128 { address.number & mask }

    private var last: UInt128 { first | family.highest & ~mask }

    private init(uncheckedAddress address: IPAddress, length: Int) {
        self.address = address
        self.length = length
    }
}

extension IPPrefix: Comparable {
    /// Orders by address, then the wider network first.
    package static func < (left: IPPrefix, right: IPPrefix) -> Bool {
        (left.address, left.length) < (right.address, right.length)
    }
}

extension IPPrefix: CustomStringConvertible {
    /// The prefix as `address/length`.
    package var description: String { "\(address)/\(length)" }
}

extension IPAddress {
    /// The address of a family with this number; of IPv4 the lowest 32 bits count.
    package init(_ family: Family, _ number: UInt128) {
        switch family {
        case .v4: self.init(v4: UInt32(truncatingIfNeeded: number))
        case .v6: self.init(v6: number)
        }
    }
}
