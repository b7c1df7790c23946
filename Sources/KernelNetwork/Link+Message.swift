import CNetlink
import TunnelModel

extension Link {
    /// The link that an RTM_NEWLINK or RTM_DELLINK message is about.
    ///
    /// Bridges announce their ports by messages of the same types and another family, and an
    /// RTM_DELLINK among these ends only the port: they yield nil.
    init?(_ message: OpaquePointer) {
        guard let header = nlmsg_hdr(message),
            nlmsg_valid_hdr(header, CInt(MemoryLayout<ifinfomsg>.size)) != 0,
            nlmsg_data(header).loadUnaligned(as: ifinfomsg.self).ifi_family == AF_UNSPEC
        else { return nil }

        var link: Link?
        withUnsafeMutablePointer(to: &link) {
            let take: @convention(c) (OpaquePointer?, UnsafeMutableRawPointer?) -> Void = {
                object, link in
                guard let object else { return }
                link?.assumingMemoryBound(to: Link?.self).pointee = Link(object: object)
            }
            _ = nl_msg_parse(message, take, $0)
        }
        guard var link else { return nil }
        link.isPersistent = Self.isPersistent(message)
        self = link
    }

    private init?(object: OpaquePointer) {
        guard let name = rtnl_link_get_name(object) else { return nil }
        let flags = Int(rtnl_link_get_flags(object))
        self.init(
            index: UInt32(bitPattern: rtnl_link_get_ifindex(object)),
            name: String(cString: name),
            alias: rtnl_link_get_ifalias(object).map { String(cString: $0) },
            mtu: rtnl_link_get_mtu(object),
            isUp: flags & Int(IFF_UP.rawValue) != 0,
            hasCarrier: rtnl_link_get_carrier(object) != 0,
            isLoopback: flags & Int(IFF_LOOPBACK.rawValue) != 0,
            kind: rtnl_link_get_type(object).map { String(cString: $0) },
            hardwareType: rtnl_link_get_arptype(object),
            statistics: InterfaceCounters(object)
        )
    }

    /// libnl-route 3.7 does not know the attributes of a TUN.
    private static func isPersistent(_ message: OpaquePointer) -> Bool? {
        for attribute in Attributes(of: message, after: ifinfomsg.self) ?? Attributes.none
        where attribute.type == IFLA_LINKINFO {
            var kind: String?
            for part in attribute.nested() {
                if part.type == IFLA_INFO_KIND { kind = part.text }
                guard part.type == IFLA_INFO_DATA, kind == "tun" else { continue }
                return part.nested().first { $0.type == IFLA_TUN_PERSIST }?.uint8.map { $0 != 0 }
            }
        }
        return nil
    }
}

extension InterfaceCounters {
    /// libnl-route fills its counters from IFLA_STATS64 wherever the kernel sends it.
    fileprivate init(_ link: OpaquePointer) {
        self.init()
        receivedBytes = rtnl_link_get_stat(link, RTNL_LINK_RX_BYTES)
        sentBytes = rtnl_link_get_stat(link, RTNL_LINK_TX_BYTES)
        receivedPackets = rtnl_link_get_stat(link, RTNL_LINK_RX_PACKETS)
        sentPackets = rtnl_link_get_stat(link, RTNL_LINK_TX_PACKETS)
        receivedErrors = rtnl_link_get_stat(link, RTNL_LINK_RX_ERRORS)
        sentErrors = rtnl_link_get_stat(link, RTNL_LINK_TX_ERRORS)
        receivedDropped = rtnl_link_get_stat(link, RTNL_LINK_RX_DROPPED)
        sentDropped = rtnl_link_get_stat(link, RTNL_LINK_TX_DROPPED)
    }
}
