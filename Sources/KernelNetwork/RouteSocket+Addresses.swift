import CNetlink
import Glibc
package import TunnelModel

extension RouteSocket {
    /// The addresses of a link.
    ///
    /// Corresponds to a dump by `RTM_GETADDR`, filtered by the kernel.
    package func addresses(
        ofLink index: UInt32
    ) throws(NetlinkError) -> [InterfaceAddress] {
        var header = ifaddrmsg()
        header.ifa_index = index
        let message = try Message(RTM_GETADDR, flags: NLM_F_DUMP, header)
        return try conversation.dump(
            message, "reading the addresses of the link", name(ofLink: index)
        ) {
            InterfaceAddress($0).map { [$0] } ?? []
        }
    }

    /// The addresses of all links.
    ///
    /// Corresponds to a dump by `RTM_GETADDR`.
    package func addresses() throws(NetlinkError) -> [InterfaceAddress] {
        let message = try Message(RTM_GETADDR, flags: NLM_F_DUMP, ifaddrmsg())
        return try conversation.dump(message, "reading the addresses", "") {
            InterfaceAddress($0).map { [$0] } ?? []
        }
    }

    /// Gives a link an address; EEXIST where it has it already.
    ///
    /// Corresponds to `RTM_NEWADDR`. The kernel adds the route to the address's network itself,
    /// in the main table, unless it is told not to. IPv6 addresses can be used at once: on a
    /// tunnel nobody answers the search for duplicates.
    package func addAddress(
        _ prefix: IPPrefix,
        toLink index: UInt32,
        withoutNetworkRoute: Bool = false
    ) throws(NetlinkError) {
        let message = try addressMessage(
            RTM_NEWADDR,
            flags: NLM_F_ACK | NLM_F_CREATE | NLM_F_EXCL,
            prefix,
            index
        )
        var flags: UInt32 = 0
        if prefix.family == .v6 { flags |= UInt32(IFA_F_NODAD) }
        if withoutNetworkRoute { flags |= UInt32(IFA_F_NOPREFIXROUTE) }
        if flags != 0 { message.put(IFA_FLAGS, flags) }
        try conversation.perform(
            message, "adding the address \(prefix) to the link", name(ofLink: index))
    }

    /// Takes an address from a link; EADDRNOTAVAIL where it has not got it.
    ///
    /// Corresponds to `RTM_DELADDR`.
    package func removeAddress(_ prefix: IPPrefix, fromLink index: UInt32) throws(NetlinkError) {
        let message = try addressMessage(RTM_DELADDR, flags: NLM_F_ACK, prefix, index)
        try conversation.perform(
            message, "removing the address \(prefix) from the link", name(ofLink: index))
    }

    private func addressMessage(
        _ type: Int,
        flags: CInt,
        _ prefix: IPPrefix,
        _ index: UInt32
    ) throws(NetlinkError) -> Message {
        var header = ifaddrmsg()
        header.ifa_family = prefix.family.number
        header.ifa_prefixlen = UInt8(prefix.length)
        header.ifa_scope = UInt8(RT_SCOPE_UNIVERSE.rawValue)
        header.ifa_index = index
        let message = try Message(type, flags: flags, header)
        message.put(IFA_LOCAL, prefix.address)
        message.put(IFA_ADDRESS, prefix.address)
        return message
    }
}
