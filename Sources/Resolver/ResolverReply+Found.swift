internal import TunnelModel

extension ResolverReply {
    /// The reply with what was found, in that order; `nil` when none of it can be the address
    /// of a server.
    ///
    /// IPv4-mapped addresses would bypass rules for either family, and an unspecified address
    /// means this host to a socket; none of them is ever a server's.
    init?(_ name: String, found: [IPAddress]) {
        var usable: [IPAddress] = []
        for address in found
        where !address.isMapped && !address.isUnspecified && !address.isMulticast
            && !usable.contains(address)
        {
            usable.append(address)
            if usable.count == Self.mostAddresses { break }
        }
        if usable.isEmpty { return nil }
        self = .resolved(name: name, addresses: usable)
    }
}

extension IPAddress {
    /// Whether this is in ::ffff:0:0/96.
    fileprivate var isMapped: Bool { family == .v6 && number >> 32 == 0xFFFF }
}
