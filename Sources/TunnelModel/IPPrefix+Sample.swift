extension IPPrefix {
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
