extension IPPrefix {
    /// Addresses of the network that stand for its parts, as a rule may be about one of them.
    ///
    /// None of `own`, if it has another: packets to one's own addresses stay here.
    package func samples(besides own: Set<IPAddress>) -> [IPAddress] {
        // A half of all addresses has its own: 198.51.100.0/24 and 2001:db8::/32 lie in one.
        let others = isDefault ? (family == .v4 ? ["64.0.0.1"] : ["3fff:5100::1"]) : []
        return [isOwnFirst(own) ? next : sample] + others.compactMap { IPAddress($0) }
    }

    /// Whether its first address is one's own, and it has another.
    private func isOwnFirst(_ own: Set<IPAddress>) -> Bool {
        !isDefault && length < family.bitWidth - 1 && own.contains(sample)
    }

    private var next: IPAddress { IPAddress(family, masked.address.number + 2) }

    /// An address of the network that stands for all of it.
    package var sample: IPAddress {
        switch (family, length) {
        // Of all addresses one that nobody has a route of his own to (RFC 5737, RFC 3849).
        case (.v4, 0): IPAddress("198.51.100.1") ?? address
        case (.v6, 0): IPAddress("2001:db8:5100::1") ?? address
        case (.v4, ..<31), (.v6, ..<127): IPAddress(family, masked.address.number + 1)
        default: address
        }
    }
}
