import CNetlink
import Glibc

extension RouteSocket {
    /// The link of this index; nil where there is none.
    ///
    /// Corresponds to one `RTM_GETLINK`, not to a dump.
    package func link(index: UInt32) throws(NetlinkError) -> Link? {
        // Index 0 would ask for a link by name; to the kernel an index is a signed number.
        guard index != 0, index <= Int32.max else { return nil }
        let message = try Message(RTM_GETLINK, ifinfomsg(index: index))
        return try link(message) { "with index \(index)" }
    }

    /// The link of this name; nil where there is none.
    ///
    /// Corresponds to one `RTM_GETLINK`, not to a dump.
    package func link(name: String) throws(NetlinkError) -> Link? {
        // No link can have a name of another length.
        guard (1..<Int(CNetlink.IFNAMSIZ)).contains(name.utf8.count) else { return nil }
        let message = try Message(RTM_GETLINK, ifinfomsg())
        message.put(IFLA_IFNAME, text: name)
        return try link(message) { name }
    }

    /// All links of the network namespace.
    ///
    /// Corresponds to a dump by `RTM_GETLINK`.
    package func links() throws(NetlinkError) -> [Link] {
        let message = try Message(RTM_GETLINK, flags: NLM_F_DUMP, ifinfomsg())
        message.put(IFLA_EXT_MASK, UInt32(RTEXT_FILTER_SKIP_STATS))
        return try conversation.dump(message, "reading the links", "") { message in
            Link(message).map { [$0] } ?? []
        }
    }

    /// Changes what is given of a link and leaves the rest as it is.
    ///
    /// Corresponds to `RTM_NEWLINK`. An empty alias takes the alias away. Without IPv6 address
    /// generation the kernel makes no link-local address and sends no router solicitations by
    /// itself; this is passed over where the link has no IPv6.
    package func setLink(
        index: UInt32,
        alias: String? = nil,
        mtu: UInt32? = nil,
        up: Bool? = nil,
        multicast: Bool? = nil,
        withoutIPv6AddressGeneration: Bool = false
    ) throws(NetlinkError) {
        let operation = "changing the link"
        guard alias.map({ $0.utf8.count < Int(IFALIASZ) }) ?? true else {
            throw NetlinkError(operation: operation, subject: name(ofLink: index), errno: ERANGE)
        }
        if withoutIPv6AddressGeneration { try stopIPv6AddressGeneration(index) }
        guard alias != nil || mtu != nil || up != nil || multicast != nil else { return }

        var header = ifinfomsg(index: index)
        // All other flags stay, because they are not in the mask.
        for case (let flag, let isOn?) in [
            (IFF_UP.rawValue, up), (IFF_MULTICAST.rawValue, multicast),
        ] {
            header.ifi_change |= flag
            if isOn { header.ifi_flags |= flag }
        }
        let message = try Message(RTM_NEWLINK, header)
        if let alias { message.put(IFLA_IFALIAS, text: alias) }
        if let mtu { message.put(IFLA_MTU, mtu) }
        try conversation.perform(message, operation, name(ofLink: index))
    }

    /// Deletes a link; false where it was already gone.
    ///
    /// Corresponds to `RTM_DELLINK`.
    package func deleteLink(index: UInt32) throws(NetlinkError) -> Bool {
        let message = try Message(RTM_DELLINK, ifinfomsg(index: index))
        do {
            try conversation.perform(message, "deleting the link", name(ofLink: index))
            return true
        } catch  where error.errno == ENODEV {
            return false
        }
    }

    /// The name of a link, for people; "with index 7" where it has gone.
    func name(ofLink index: UInt32) -> String {
        let name = withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(CNetlink.IFNAMSIZ)) {
            if_indextoname(index, $0.baseAddress).map { String(cString: $0) }
        }
        return name ?? "with index \(index)"
    }

    private func link(
        _ message: borrowing Message,
        subject: () -> String
    ) throws(NetlinkError) -> Link? {
        // Neither virtual functions nor the counters of other families.
        message.put(IFLA_EXT_MASK, UInt32(RTEXT_FILTER_SKIP_STATS))
        var link: Link?
        do {
            try conversation.perform(message, "reading the link", subject()) { link = Link($0) }
        } catch  where error.errno == ENODEV {
            return nil
        }
        guard link == nil else { return link }
        throw NetlinkError(operation: "reading the link", subject: subject(), errno: EBADMSG)
    }

    /// A request of its own and the first: in one with IFF_UP the kernel would set the link up
    /// before it looks at this, and refuse all where IPv6 is off.
    private func stopIPv6AddressGeneration(_ index: UInt32) throws(NetlinkError) {
        let message = try Message(RTM_NEWLINK, ifinfomsg(index: index))
        message.nest(IFLA_AF_SPEC) {
            message.nest(Int(AF_INET6)) {
                message.put(IFLA_INET6_ADDR_GEN_MODE, UInt8(IN6_ADDR_GEN_MODE_NONE.rawValue))
            }
        }
        do {
            try conversation.perform(
                message, "turning off IPv6 address generation of the link", name(ofLink: index))
        } catch {
            switch error.errno {
            case EAFNOSUPPORT, EOPNOTSUPP, EINVAL: return
            default: throw error
            }
        }
    }
}

extension ifinfomsg {
    fileprivate init(index: UInt32) {
        self.init()
        ifi_index = Int32(bitPattern: index)
    }
}
