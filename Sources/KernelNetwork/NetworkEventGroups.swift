import CNetlink

/// What a `NetworkEventSocket` hears of.
package struct NetworkEventGroups: OptionSet, Sendable {
    /// One bit for each multicast group of the kernel.
    package let rawValue: UInt32

    /// The groups of these bits.
    package init(rawValue: UInt32) { self.rawValue = rawValue }

    private init(_ group: rtnetlink_groups) { rawValue = 1 << (group.rawValue - 1) }

    /// Links that come, go and change.
    package static let links = NetworkEventGroups(RTNLGRP_LINK)

    /// IPv4 addresses that come and go.
    package static let v4Addresses = NetworkEventGroups(RTNLGRP_IPV4_IFADDR)

    /// IPv6 addresses that come and go.
    package static let v6Addresses = NetworkEventGroups(RTNLGRP_IPV6_IFADDR)

    /// IPv4 routes that come and go.
    package static let v4Routes = NetworkEventGroups(RTNLGRP_IPV4_ROUTE)

    /// IPv6 routes that come and go.
    package static let v6Routes = NetworkEventGroups(RTNLGRP_IPV6_ROUTE)

    /// IPv4 rules that come and go.
    package static let v4Rules = NetworkEventGroups(RTNLGRP_IPV4_RULE)

    /// IPv6 rules that come and go.
    package static let v6Rules = NetworkEventGroups(RTNLGRP_IPV6_RULE)

    /// Everything.
    package static let all: NetworkEventGroups = [
        .links, .v4Addresses, .v6Addresses, .v4Routes, .v6Routes, .v4Rules, .v6Rules,
    ]
}
