import CNetlink
import TunnelModel

extension PolicyRule {
    /// The rule that an RTM_NEWRULE or RTM_DELRULE message is about.
    ///
    /// One of another family, that does something else or asks for more of a packet than its
    /// mark, yields nil.
    init?(_ message: OpaquePointer) {
        guard let attributes = Attributes(of: message, after: fib_rule_hdr.self) else { return nil }
        let header = nlmsg_data(nlmsg_hdr(message)).loadUnaligned(as: fib_rule_hdr.self)
        let family: IPAddress.Family
        switch CInt(header.family) {
        case AF_INET: family = .v4
        case AF_INET6: family = .v6
        default: return nil
        }
        guard Int(header.action) == FR_ACT_TO_TBL, header.dst_len == 0, header.src_len == 0,
            header.tos == 0
        else { return nil }
        var fields = Fields(table: UInt32(header.table))
        for attribute in attributes where !fields.take(attribute) { return nil }
        self.init(
            family: family,
            priority: fields.priority,
            table: fields.table,
            mark: fields.wholeMark,
            isInverted: header.flags & UInt32(FIB_RULE_INVERT) != 0,
            suppressedLength: fields.suppressedLength,
            suppressedGroup: fields.suppressedGroup,
            protocolNumber: fields.protocolNumber
        )
    }

    private struct Fields {
        var table: UInt32
        var priority: UInt32 = 0
        var mark: UInt32?
        var mask: UInt32?
        var suppressedLength: Int?
        var suppressedGroup: UInt32?
        var protocolNumber: UInt8 = 0

        init(table: UInt32) { self.table = table }

        /// The kernel leaves out a value of zero.
        var wholeMark: Mark? {
            mark != nil || mask != nil ? Mark(mark ?? 0, mask: mask ?? .max) : nil
        }

        /// Whether the attribute is one of those that these rules may have.
        mutating func take(_ attribute: Attribute) -> Bool {
            switch attribute.type {
            case FRA_TABLE: table = attribute.uint32 ?? table
            case FRA_PRIORITY: priority = attribute.uint32 ?? 0
            case FRA_FWMARK: mark = attribute.uint32
            case FRA_FWMASK: mask = attribute.uint32
            // The kernel always sends it; -1 suppresses nothing.
            case FRA_SUPPRESS_PREFIXLEN:
                suppressedLength = attribute.int32.flatMap { $0 < 0 ? nil : Int($0) }
            case FRA_SUPPRESS_IFGROUP: suppressedGroup = attribute.uint32
            case FRA_PROTOCOL: protocolNumber = attribute.uint8 ?? 0
            case FRA_PAD: break
            default: return false
            }
            return true
        }
    }

    /// Writes the request to add or to remove the rule.
    func write(to message: borrowing Message, _ type: Int, flags: CInt) {
        var header = fib_rule_hdr()
        header.family = family.number
        header.action = UInt8(FR_ACT_TO_TBL)
        if isInverted { header.flags = UInt32(FIB_RULE_INVERT) }
        message.begin(type, flags: flags, header)
        message.put(FRA_TABLE, table)
        message.put(FRA_PRIORITY, priority)
        message.put(FRA_PROTOCOL, protocolNumber)
        if let mark {
            message.put(FRA_FWMARK, mark.value)
            message.put(FRA_FWMASK, mark.mask)
        }
        if let suppressedLength { message.put(FRA_SUPPRESS_PREFIXLEN, UInt32(suppressedLength)) }
        if let suppressedGroup { message.put(FRA_SUPPRESS_IFGROUP, suppressedGroup) }
    }
}
