import CNetlink
import Glibc

/// The messages of nf_tables (linux/netfilter/nf_tables.h).
enum FirewallMessage {
    /// The type of a message of nf_tables.
    static func type(_ message: nf_tables_msg_types) -> Int {
        Int(NFNL_SUBSYS_NFTABLES) << 8 | Int(message.rawValue)
    }

    /// The header of messages about tables of both IPv4 and IPv6.
    static var header: nfgenmsg { nfgenmsg(family: UInt8(NFPROTO_INET), resource: 0) }

    /// The header of the beginning or end of a transaction.
    static var batchHeader: nfgenmsg {
        nfgenmsg(family: UInt8(AF_UNSPEC), resource: UInt16(NFNL_SUBSYS_NFTABLES))
    }

    /// The attributes of a message that is about a table, chain, rule or set.
    static func attributes(of message: OpaquePointer) -> Attributes {
        Attributes(of: message, after: nfgenmsg.self) ?? .none
    }
}

extension nfgenmsg {
    fileprivate init(family: UInt8, resource: UInt16) {
        self.init()
        nfgen_family = family
        version = UInt8(NFNETLINK_V0)
        res_id = resource.bigEndian
    }
}

extension FirewallTable {
    /// Reads a table from a message of the kernel.
    init?(_ message: OpaquePointer) {
        var name: String?
        var comment = ""
        var flags: UInt32 = 0
        for attribute in FirewallMessage.attributes(of: message) {
            switch attribute.type {
            case Int(NFTA_TABLE_NAME.rawValue): name = attribute.text
            case Int(NFTA_TABLE_FLAGS.rawValue): flags = UInt32(bigEndian: attribute.uint32 ?? 0)
            case Int(NFTA_TABLE_USERDATA.rawValue): comment = Self.comment(in: attribute.content)
            default: break
            }
        }
        guard let name else { return nil }
        self.name = name
        self.comment = comment
        isDormant = flags & UInt32(NFT_TABLE_F_DORMANT.rawValue) != 0
    }

    /// The comment in what nft keeps beside a table: entries of type, length and value, in which
    /// type 0 is the comment (libnftnl/udata.h).
    private static func comment(in content: UnsafeRawBufferPointer) -> String {
        var rest = content[...]
        while rest.count >= 2 {
            let type = rest[rest.startIndex]
            let length = Int(rest[rest.startIndex + 1])
            rest = rest.dropFirst(2)
            guard rest.count >= length else { return "" }
            if type == 0 {
                return String(decoding: rest.prefix(length).prefix { $0 != 0 }, as: UTF8.self)
            }
            rest = rest.dropFirst(length)
        }
        return ""
    }
}
