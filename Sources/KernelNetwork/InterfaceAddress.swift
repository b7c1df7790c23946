import CNetlink
package import TunnelModel

/// An address of a link.
package struct InterfaceAddress: Hashable, Sendable {
    /// The link's index.
    package var interfaceIndex: UInt32

    /// The address with its host bits and the length of its network.
    package var prefix: IPPrefix

    /// Whether the address can't be used yet: the search for duplicates goes on.
    package var isTentative: Bool

    /// Whether another host already has the address.
    package var isDuplicate: Bool

    /// Whether the kernel made the route to the address's network.
    package var hasNetworkRoute: Bool

    /// An address of a link.
    package init(
        interfaceIndex: UInt32,
        prefix: IPPrefix,
        isTentative: Bool = false,
        isDuplicate: Bool = false,
        hasNetworkRoute: Bool = true
    ) {
        self.interfaceIndex = interfaceIndex
        self.prefix = prefix
        self.isTentative = isTentative
        self.isDuplicate = isDuplicate
        self.hasNetworkRoute = hasNetworkRoute
    }
}

extension InterfaceAddress {
    /// The address that an RTM_NEWADDR or RTM_DELADDR message is about.
    init?(_ message: OpaquePointer) {
        guard let attributes = Attributes(of: message, after: ifaddrmsg.self) else { return nil }
        let header = nlmsg_data(nlmsg_hdr(message)).loadUnaligned(as: ifaddrmsg.self)
        var flags = UInt32(header.ifa_flags)
        var local: IPAddress?
        var other: IPAddress?
        for attribute in attributes {
            switch attribute.type {
            case IFA_LOCAL: local = attribute.address
            case IFA_ADDRESS: other = attribute.address
            case IFA_FLAGS: flags = attribute.uint32 ?? flags
            default: break
            }
        }
        // IFA_ADDRESS is the peer's where there is a local one beside it.
        guard let address = local ?? other,
            address.family.number == header.ifa_family,
            let prefix = IPPrefix(address: address, length: Int(header.ifa_prefixlen))
        else { return nil }
        self.init(
            interfaceIndex: header.ifa_index,
            prefix: prefix,
            isTentative: flags & UInt32(IFA_F_TENTATIVE) != 0,
            isDuplicate: flags & UInt32(IFA_F_DADFAILED) != 0,
            hasNetworkRoute: flags & UInt32(IFA_F_NOPREFIXROUTE) == 0
        )
    }
}
