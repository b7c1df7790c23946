import CNetlink
package import TunnelModel

/// A route; of several next hops each is a route of its own.
package struct Route: Hashable, Sendable {
    /// What becomes of packets on a route.
    package enum Kind: Hashable, Sendable, CaseIterable {
        /// They go on.
        case unicast
        /// The table has nothing to say of them: whatever is asked after it decides.
        case `throw`
        /// They are refused: no table behind this one is asked.
        case unreachable
    }

    /// What becomes of packets on the route.
    package let kind: Kind

    /// The network the route leads to, host bits cleared.
    package let destination: IPPrefix

    /// The outgoing link's index; 0 for a route that is not unicast.
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
        _ kind: Kind = .unicast,
        destination: IPPrefix,
        interfaceIndex: UInt32,
        table: UInt32 = mainTable,
        protocolNumber: UInt8,
        metric: UInt32? = nil,
        preferredSource: IPAddress? = nil,
        gateway: IPAddress? = nil
    ) {
        self.kind = kind
        self.destination = destination.masked
        self.interfaceIndex = interfaceIndex
        self.table = table
        self.protocolNumber = protocolNumber
        self.metric = metric == Self.defaultMetric(destination.family) ? nil : metric
        self.preferredSource = preferredSource
        self.gateway = gateway
    }

    /// A route of a kind that leads nowhere.
    package init(
        _ kind: Kind,
        _ destination: IPPrefix,
        table: UInt32,
        protocolNumber: UInt8,
        metric: UInt32? = nil
    ) {
        self.init(
            kind, destination: destination, interfaceIndex: 0, table: table,
            protocolNumber: protocolNumber, metric: metric)
    }

    /// The main routing table.
    package static let mainTable = UInt32(RT_TABLE_MAIN.rawValue)

    /// The table of this host's own addresses.
    package static let localTable = UInt32(RT_TABLE_LOCAL.rawValue)

    /// The metric by which the kernel chooses.
    package var effectiveMetric: UInt32 { metric ?? Self.defaultMetric(destination.family) }

    private static func defaultMetric(_ family: IPAddress.Family) -> UInt32 {
        switch family {
        case .v4: 0
        case .v6: UInt32(IP6_RT_PRIO_USER)
        }
    }
}

extension Route: CustomStringConvertible {
    /// The route as ip(8) shows it, without its link, which is known by number only.
    package var description: String {
        var words: [String] = []
        switch kind {
        case .unicast: break
        case .throw: words.append("throw")
        case .unreachable: words.append("unreachable")
        }
        words.append("\(destination)")
        if let gateway { words.append("via \(gateway)") }
        if table != Self.mainTable { words.append("table \(table)") }
        if let metric { words.append("metric \(metric)") }
        return words.joined(separator: " ")
    }
}
