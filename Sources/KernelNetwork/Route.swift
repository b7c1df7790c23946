import CNetlink
package import TunnelModel

/// A unicast route; of several next hops each is a route of its own.
package struct Route: Hashable, Sendable {
    /// The network the route leads to, host bits cleared.
    package let destination: IPPrefix

    /// The outgoing link's index.
    package let interfaceIndex: UInt32

    /// The routing table.
    package let table: UInt32

    /// Who made the route, an `RTPROT_…` number.
    package let protocolNumber: UInt8

    /// The route's metric, lower first; nil for the kernel's own choice (0, for IPv6 1024).
    ///
    /// A metric that is the kernel's own choice becomes nil, so that a route read back equals the
    /// route that was added.
    package let metric: UInt32?

    /// The source address that packets on this route get.
    package let preferredSource: IPAddress?

    /// The next hop; nil where the destination is on the link.
    package let gateway: IPAddress?

    /// A route, by default in the main table.
    package init(
        destination: IPPrefix,
        interfaceIndex: UInt32,
        table: UInt32 = mainTable,
        protocolNumber: UInt8,
        metric: UInt32? = nil,
        preferredSource: IPAddress? = nil,
        gateway: IPAddress? = nil
    ) {
        self.destination = destination.masked
        self.interfaceIndex = interfaceIndex
        self.table = table
        self.protocolNumber = protocolNumber
        self.metric = metric == Self.defaultMetric(destination.family) ? nil : metric
        self.preferredSource = preferredSource
        self.gateway = gateway
    }

    /// The main routing table.
    package static let mainTable = UInt32(RT_TABLE_MAIN.rawValue)

    /// The metric by which the kernel chooses.
    package var effectiveMetric: UInt32 { metric ?? Self.defaultMetric(destination.family) }

    private static func defaultMetric(_ family: IPAddress.Family) -> UInt32 {
        switch family {
        case .v4: 0
        case .v6: UInt32(IP6_RT_PRIO_USER)
        }
    }
}
