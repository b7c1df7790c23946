internal import CNetlink
internal import Glibc
package import TunnelModel

/// A routing policy rule of whoever it may be, as far as it matters which packets it takes.
package struct ForeignRule: Hashable, Sendable {
    /// What becomes of a packet that it takes.
    package enum Action: Hashable, Sendable {
        case lookUp(table: UInt32)
        /// It goes nowhere.
        case refuse
        /// The rule only leads to another one.
        case none
    }

    package let family: IPAddress.Family
    package let priority: UInt32
    package private(set) var action: Action
    package private(set) var mark: PolicyRule.Mark?
    package let isInverted: Bool
    /// The interface that packets come in by; `lo` are those of this host itself.
    package private(set) var incoming: String?
    /// The interface that a socket is bound to.
    package private(set) var outgoing: String?
    /// Whether it asks for more of a packet: its addresses, its user, its ports.
    package private(set) var isNarrow: Bool
    package private(set) var protocolNumber: UInt8 = 0

    /// The rule that a message is about.
    init?(_ message: OpaquePointer) {
        guard let attributes = Attributes(of: message, after: fib_rule_hdr.self) else { return nil }
        let header = nlmsg_data(nlmsg_hdr(message)).loadUnaligned(as: fib_rule_hdr.self)
        switch CInt(header.family) {
        case AF_INET: family = .v4
        case AF_INET6: family = .v6
        default: return nil
        }
        isInverted = header.flags & UInt32(FIB_RULE_INVERT) != 0
        isNarrow = header.dst_len != 0 || header.src_len != 0 || header.tos != 0
        var priority: UInt32 = 0
        var table = UInt32(header.table)
        var mark: UInt32?
        var mask: UInt32?
        var isLayered = false
        for attribute in attributes {
            switch attribute.type {
            case FRA_TABLE: table = attribute.uint32 ?? table
            case FRA_PRIORITY: priority = attribute.uint32 ?? 0
            case FRA_FWMARK: mark = attribute.uint32
            case FRA_FWMASK: mask = attribute.uint32
            case FRA_IIFNAME: incoming = attribute.text
            case FRA_OIFNAME: outgoing = attribute.text
            case FRA_PROTOCOL: protocolNumber = attribute.uint8 ?? 0
            case FRA_L3MDEV: isLayered = attribute.uint8 == 1
            case FRA_UID_RANGE, FRA_IP_PROTO, FRA_SPORT_RANGE, FRA_DPORT_RANGE: isNarrow = true
            default: break
            }
        }
        self.priority = priority
        if mark != nil || mask != nil {
            self.mark = PolicyRule.Mark(mark ?? 0, mask: mask ?? .max)
        }
        switch Int(header.action) {
        // A rule of a VRF takes only what is bound to that.
        case FR_ACT_TO_TBL: action = isLayered ? .none : .lookUp(table: table)
        case FR_ACT_BLACKHOLE, FR_ACT_UNREACHABLE, FR_ACT_PROHIBIT: action = .refuse
        default: action = .none
        }
    }

    /// Whether packets of this host may be taken that carry a mark, or 0 for none.
    package func mayTake(mark number: UInt32) -> Bool {
        // Where it asks for more as well, what it inverts is not its mark alone.
        let hasMark = mark.map { number & $0.mask == $0.value } ?? true
        return isInverted ? isNarrow || (mark != nil && !hasMark) : hasMark
    }
}

extension RouteSocket {
    /// All rules of both families, in the order in which they are asked.
    ///
    /// Corresponds to a dump by `RTM_GETRULE`.
    package func foreignRules() throws(NetlinkError) -> [ForeignRule] {
        let message = try Message(RTM_GETRULE, flags: NLM_F_DUMP, fib_rule_hdr())
        return try conversation.dump(message, "reading the rules", "") {
            ForeignRule($0).map { [$0] } ?? []
        }
    }
}

extension ForeignRule: CustomStringConvertible {
    /// The rule as ip(8) shows the most of it, and for which family.
    package var description: String {
        var words = [isInverted ? "not from all" : "from all"]
        if isNarrow { words = [isInverted ? "not from some" : "from some"] }
        if let mark {
            words.append("fwmark 0x\(String(mark.value, radix: 16))")
            if mark.mask != .max { words[words.count - 1] += "/0x\(String(mark.mask, radix: 16))" }
        }
        if let incoming { words.append("iif \(incoming)") }
        switch action {
        case .lookUp(let table): words.append("lookup \(table)")
        case .refuse: words.append("refused")
        case .none: words.append("goes on")
        }
        return "\(family == .v4 ? "IPv4" : "IPv6") \(priority): \(words.joined(separator: " "))"
    }
}
