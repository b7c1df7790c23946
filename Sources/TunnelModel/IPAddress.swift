/// An IPv4 or IPv6 address as a number, without a zone.
package struct IPAddress: Hashable, Sendable {
    /// The address family.
    package enum Family: Comparable, Hashable, Sendable {
        /// Internet Protocol version 4.
        case v4

        /// Internet Protocol version 6.
        case v6

        /// How many bits an address of this family has.
        package var bitWidth: Int {
            switch self {
            case .v4: 32
            case .v6: 128
            }
        }

        /// The number whose bits are all set: the highest address.
        package var highest: UInt128 {
            switch self {
            case .v4: UInt128(UInt32.max)
            case .v6: .max
            }
        }
    }

    /// The address family.
    package let family: Family

    /// The address as a number, first byte most significant; an IPv4 address fills the low 32 bits.
    package let number: UInt128

    /// The IPv4 address with this number.
    package init(v4 number: UInt32) {
        family = .v4
        self.number = UInt128(number)
    }

    /// The IPv6 address with this number.
    package init(v6 number: UInt128) {
        family = .v6
        self.number = number
    }

    /// The address in network byte order; nil unless there are exactly 4 or 16 bytes.
    package init?(family: Family, bytes: [UInt8]) {
        guard bytes.count * 8 == family.bitWidth else { return nil }
        self.family = family
        number = bytes.reduce(0) { $0 << 8 | UInt128($1) }
    }

    /// The address in network byte order: 4 or 16 bytes.
    package var bytes: [UInt8] {
        stride(from: family.bitWidth - 8, through: 0, by: -8).map {
            UInt8(truncatingIfNeeded: number >> $0)
        }
    }

    /// Whether this is in 127.0.0.0/8 or is ::1.
    package var isLoopback: Bool {
        switch family {
        case .v4: number >> 24 == 127
        case .v6: number == 1
        }
    }

    /// Whether this is in 169.254.0.0/16 or fe80::/10.
    package var isLinkLocal: Bool {
        switch family {
        case .v4: number >> 16 == 0xa9fe
        case .v6: number >> 118 == 0xfe80 >> 6
        }
    }

    /// Whether this is in 224.0.0.0/4 or ff00::/8.
    package var isMulticast: Bool {
        switch family {
        case .v4: number >> 28 == 0xe
        case .v6: number >> 120 == 0xff
        }
    }

    /// Whether this is 0.0.0.0 or ::.
    package var isUnspecified: Bool { number == 0 }
}

extension IPAddress: Comparable {
    /// Orders IPv4 before IPv6, then by number.
    package static func < (left: IPAddress, right: IPAddress) -> Bool {
        (left.family, left.number) < (right.family, right.number)
    }
}

extension IPAddress {
    /// Reads an address as `inet_pton(3)` would: no leading zeros in IPv4, no zone in IPv6.
    package init?(_ text: String) {
        self.init(text[...].utf8)
    }

    init?(_ text: Substring.UTF8View) {
        if let number = Self.v4Number(text) {
            self.init(v4: number)
        } else if let number = Self.v6Number(text) {
            self.init(v6: number)
        } else {
            return nil
        }
    }

    private static func v4Number(_ text: Substring.UTF8View) -> UInt32? {
        var number: UInt32 = 0
        var octet: UInt32 = 0
        var digits = 0
        var dots = 0
        for byte in text {
            switch byte {
            case UInt8(ascii: "."):
                guard digits > 0, dots < 3 else { return nil }
                number = number << 8 | octet
                (octet, digits, dots) = (0, 0, dots + 1)
            case UInt8(ascii: "0")...UInt8(ascii: "9"):
                // Some readers take a leading zero for octal: such a text has two meanings.
                guard digits == 0 || octet > 0 else { return nil }
                octet = octet * 10 + UInt32(byte - UInt8(ascii: "0"))
                digits += 1
                guard octet <= 255 else { return nil }
            default:
                return nil
            }
        }
        guard dots == 3, digits > 0 else { return nil }
        return number << 8 | octet
    }

    private static func v6Number(_ text: Substring.UTF8View) -> UInt128? {
        var number: UInt128 = 0
        var groups = 0
        var gap: Int?
        var index = text.startIndex
        let colon = UInt8(ascii: ":")

        if text.first == colon {
            index = text.index(after: index)
            guard index < text.endIndex, text[index] == colon else { return nil }
            index = text.index(after: index)
            gap = 0
        }
        while index < text.endIndex {
            let start = index
            var group: UInt128 = 0
            var digits = 0
            while index < text.endIndex, let digit = hexValue(text[index]) {
                digits += 1
                guard digits <= 4 else { return nil }
                group = group << 4 | digit
                index = text.index(after: index)
            }
            if index < text.endIndex, text[index] == UInt8(ascii: ".") {
                guard groups <= 6, let tail = v4Number(text[start...]) else { return nil }
                number = number << 32 | UInt128(tail)
                groups += 2
                break
            }
            guard digits > 0, groups < 8 else { return nil }
            number = number << 16 | group
            groups += 1
            if index == text.endIndex { break }

            guard text[index] == colon else { return nil }
            index = text.index(after: index)
            guard index < text.endIndex else { return nil }
            if text[index] == colon {
                guard gap == nil else { return nil }
                gap = groups
                index = text.index(after: index)
            }
        }
        guard let gap else { return groups == 8 ? number : nil }
        // `::` stands for at least one group.
        guard groups <= 7 else { return nil }
        let tailBits = (groups - gap) * 16
        let tail = number & ~(UInt128.max << tailBits)
        return (number >> tailBits) << (128 - gap * 16) | tail
    }

    private static func hexValue(_ byte: UInt8) -> UInt128? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt128(byte - UInt8(ascii: "0"))
        case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt128(byte - UInt8(ascii: "a") + 10)
        case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt128(byte - UInt8(ascii: "A") + 10)
        default: nil
        }
    }
}

extension IPAddress: CustomStringConvertible {
    /// The address in dotted decimal, or as RFC 5952 wants it.
    package var description: String {
        switch family {
        case .v4: Self.dotted(number)
        case .v6: v6Description
        }
    }

    private static func dotted(_ number: UInt128) -> String {
        let value = UInt32(truncatingIfNeeded: number)
        return "\(value >> 24).\(value >> 16 & 255).\(value >> 8 & 255).\(value & 255)"
    }

    private var v6Description: String {
        if number >> 32 == 0xffff { return "::ffff:\(Self.dotted(number))" }

        var zeros = 0..<0
        var start = 0
        for index in 0...8 where index == 8 || group(index) != 0 {
            // Of two runs equally long, the first is shortened.
            if index - start > zeros.count { zeros = start..<index }
            start = index + 1
        }
        if zeros.count < 2 { zeros = 8..<8 }

        let head = (0..<zeros.lowerBound).map { String(group($0), radix: 16) }
        guard !zeros.isEmpty else { return head.joined(separator: ":") }
        let tail = (zeros.upperBound..<8).map { String(group($0), radix: 16) }
        return "\(head.joined(separator: ":"))::\(tail.joined(separator: ":"))"
    }

    private func group(_ index: Int) -> UInt16 {
        UInt16(truncatingIfNeeded: number >> (112 - index * 16))
    }
}
