package import TunnelModel

/// A routing policy rule that sends what it matches to a table, whoever it comes from.
package struct PolicyRule: Hashable, Sendable {
    /// The mark that packets have.
    package struct Mark: Hashable, Sendable {
        /// The value that the masked mark has.
        package let value: UInt32

        /// The bits that count.
        package let mask: UInt32

        /// A mark of which all bits count unless a mask says otherwise.
        package init(_ value: UInt32, mask: UInt32 = .max) {
            self.value = value
            self.mask = mask
        }
    }

    /// The address family that the rule is for.
    package let family: IPAddress.Family

    /// The place among all rules, lower first; of equal ones the older comes first.
    package let priority: UInt32

    /// The table that is looked up.
    package let table: UInt32

    /// The packets that are matched; nil stands for all.
    package let mark: Mark?

    /// Whether the packets without the mark are matched instead.
    package let isInverted: Bool

    /// Routes of this prefix length or a shorter one do not count; nil lets all count.
    package let suppressedLength: Int?

    /// Routes over links of this group do not count.
    package let suppressedGroup: UInt32?

    /// Who made the rule, an `RTPROT_…` number.
    package let protocolNumber: UInt8

    /// A rule.
    package init(
        family: IPAddress.Family,
        priority: UInt32,
        table: UInt32,
        mark: Mark? = nil,
        isInverted: Bool = false,
        suppressedLength: Int? = nil,
        suppressedGroup: UInt32? = nil,
        protocolNumber: UInt8
    ) {
        self.family = family
        self.priority = priority
        self.table = table
        self.mark = mark
        self.isInverted = isInverted
        self.suppressedLength = suppressedLength
        self.suppressedGroup = suppressedGroup
        self.protocolNumber = protocolNumber
    }
}

extension PolicyRule: CustomStringConvertible {
    /// The rule as ip(8) shows it, and for which family.
    package var description: String {
        var words = [isInverted ? "not from all" : "from all"]
        if let mark {
            let mask = mark.mask == .max ? "" : "/\(Self.hexadecimal(mark.mask))"
            words.append("fwmark \(Self.hexadecimal(mark.value))\(mask)")
        }
        words.append("lookup \(table == Route.mainTable ? "main" : "\(table)")")
        if let suppressedLength { words.append("suppress_prefixlength \(suppressedLength)") }
        if let suppressedGroup { words.append("suppress_ifgroup \(suppressedGroup)") }
        let family = family == .v4 ? "IPv4" : "IPv6"
        return "\(family) \(priority): \(words.joined(separator: " "))"
    }

    private static func hexadecimal(_ number: UInt32) -> String {
        number == 0 ? "0" : "0x\(String(number, radix: 16))"
    }
}
