import CNetlink
import TunnelModel

extension Route {
    /// The routes that an RTM_NEWROUTE or RTM_DELROUTE message is about, one for each next hop.
    ///
    /// Only routes of IPv4 and IPv6 whose kind a `Route` knows, unless any is asked for.
    static func routes(_ message: OpaquePointer, anyKind: Bool = false) -> [Route] {
        guard let attributes = Attributes(of: message, after: rtmsg.self) else { return [] }
        let header = nlmsg_data(nlmsg_hdr(message)).loadUnaligned(as: rtmsg.self)
        let kind = Kind(number: header.rtm_type)
        guard anyKind || kind != nil, header.rtm_flags & UInt32(RTM_F_CLONED) == 0 || anyKind else {
            return []
        }

        var fields = Fields(header, kind ?? .unicast)
        var hops: [Hop] = []
        for attribute in attributes {
            switch attribute.type {
            case Int(RTA_DST.rawValue): fields.address = attribute.address
            case Int(RTA_TABLE.rawValue): fields.table = attribute.uint32 ?? fields.table
            case Int(RTA_PRIORITY.rawValue): fields.metric = attribute.uint32
            case Int(RTA_PREFSRC.rawValue): fields.source = attribute.address
            case Int(RTA_MULTIPATH.rawValue): hops = Hop.all(attribute.content)
            default: fields.hop.take(attribute)
            }
        }
        if hops.isEmpty { hops = [fields.hop] }
        return hops.compactMap { fields.route($0) }
    }

    /// One way on: a link and perhaps a gateway.
    private struct Hop {
        var interfaceIndex: UInt32 = 0
        var gateway: IPAddress?

        mutating func take(_ attribute: Attribute) {
            switch attribute.type {
            case Int(RTA_OIF.rawValue): interfaceIndex = attribute.uint32 ?? 0
            case Int(RTA_GATEWAY.rawValue): gateway = attribute.address
            // An IPv6 gateway of an IPv4 route: the family, then the address.
            case Int(RTA_VIA.rawValue):
                let bytes = attribute.content.dropFirst(MemoryLayout<sa_family_t>.size)
                gateway = IPAddress(family: bytes.count == 4 ? .v4 : .v6, bytes: Array(bytes))
            default: break
            }
        }

        static func all(_ content: UnsafeRawBufferPointer) -> [Hop] {
            var hops: [Hop] = []
            var rest = content[...]
            let size = MemoryLayout<rtnexthop>.size
            while rest.count >= size {
                let bytes = UnsafeRawBufferPointer(rebasing: rest)
                let header = bytes.loadUnaligned(as: rtnexthop.self)
                let length = Int(header.rtnh_len)
                guard length >= size, length <= rest.count else { break }
                var hop = Hop(interfaceIndex: UInt32(bitPattern: header.rtnh_ifindex))
                let attributes = UnsafeRawBufferPointer(rebasing: bytes[size..<length])
                for attribute in Attributes(attributes) { hop.take(attribute) }
                hops.append(hop)
                rest = rest.dropFirst((length + 3) & ~3)
            }
            return hops
        }
    }

    /// What the next hops of one route have in common.
    private struct Fields {
        let header: rtmsg
        let kind: Kind
        var address: IPAddress?
        var table: UInt32
        var metric: UInt32?
        var source: IPAddress?
        var hop = Hop()

        init(_ header: rtmsg, _ kind: Kind) {
            self.header = header
            self.kind = kind
            table = UInt32(header.rtm_table)
        }

        func route(_ hop: Hop) -> Route? {
            let zero: IPAddress
            switch CInt(header.rtm_family) {
            case AF_INET: zero = IPAddress(v4: 0)
            case AF_INET6: zero = IPAddress(v6: 0)
            default: return nil
            }
            let length = Int(header.rtm_dst_len)
            guard let destination = IPPrefix(address: address ?? zero, length: length) else {
                return nil
            }
            return Route(
                kind,
                destination: destination,
                // IPv6 has its routes that lead nowhere on the loopback interface.
                interfaceIndex: kind == .unicast ? hop.interfaceIndex : 0,
                table: table,
                protocolNumber: header.rtm_protocol,
                metric: metric,
                preferredSource: source,
                gateway: hop.gateway
            )
        }
    }
}

extension Route.Kind {
    /// The kind of an `RTN_…` number; nil for one that is none of these.
    init?(number: UInt8) {
        guard let kind = Self.allCases.first(where: { $0.number == number }) else { return nil }
        self = kind
    }

    /// The number of the kind.
    var number: UInt8 {
        switch self {
        case .unicast: UInt8(RTN_UNICAST)
        case .throw: UInt8(RTN_THROW)
        case .unreachable: UInt8(RTN_UNREACHABLE)
        }
    }
}
