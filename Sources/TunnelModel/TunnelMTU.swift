/// The MTU of the way to a server, as the kernel knows it.
package struct PathMTU: Equatable, Sendable {
    package let server: IPAddress
    package let mtu: UInt32

    package init(server: IPAddress, mtu: UInt32) {
        self.server = server
        self.mtu = mtu
    }
}

/// The MTU of a tunnel's interface, and what it follows from.
package struct TunnelMTU: Equatable, Sendable {
    package let value: UInt32
    /// What it follows from, in words: `1500 of the path to 192.0.2.1, less 60`.
    package let origin: String
    /// Whether it changes with the ways to the servers.
    package let isAutomatic: Bool

    /// The MTU of a path of which nothing is known, in bytes.
    package static let ethernet: UInt32 = 1500
    /// Larger ones are those of the loopback interface: between the processes of one host.
    private static let largestOfLinks: UInt32 = 65_520
    /// What each host takes whole, with the longest header (RFC 791).
    private static let least: UInt32 = 576 - 60
    private static let leastIPv6 = EffectiveSettings.leastIPv6MTU

    /// The configuration's, else the provider's, else what the narrowest way leaves.
    ///
    /// The narrowest is that on which a packet of the tunnel may be shortest. IPv6 needs 1280
    /// inside, also where its packets then travel in fragments.
    package init(
        _ configuration: Configuration,
        _ asked: NetworkSettings,
        paths: [PathMTU],
        hasIPv6: Bool
    ) {
        if let mtu = configuration.interface.mtu {
            self.init(value: mtu, origin: "interface.mtu", isAutomatic: false)
            return
        }
        if let mtu = asked.mtu {
            self.init(value: mtu, origin: "provider", isAutomatic: false)
            return
        }
        func overhead(_ family: IPAddress.Family) -> UInt32 {
            (family == .v4 ? asked.overheadIPv4 : nil) ?? asked.overhead ?? 0
        }
        var value = Self.ethernet - overhead(.v6)
        var origin = "\(Self.ethernet) of Ethernet\(Self.less(overhead(.v6)))"
        let rooms = paths.map { path in
            let outer = path.mtu > Self.largestOfLinks ? Self.ethernet : path.mtu
            let taken = overhead(path.server.family)
            return (room: outer - min(taken, outer), path: path, outer: outer, taken: taken)
        }
        if let narrowest = rooms.min(by: { ($0.room, $0.path.server) < ($1.room, $1.path.server) })
        {
            value = narrowest.room
            origin =
                "\(narrowest.outer) of the path to \(narrowest.path.server)"
                + Self.less(narrowest.taken)
        }
        let floor = hasIPv6 ? Self.leastIPv6 : Self.least
        if value < floor {
            value = floor
            origin = hasIPv6 ? "IPv6 needs it; \(origin)" : "the least; \(origin)"
        }
        self.init(value: value, origin: origin, isAutomatic: true)
    }

    private static func less(_ overhead: UInt32) -> String {
        overhead == 0 ? "" : ", less \(overhead)"
    }

    private init(value: UInt32, origin: String, isAutomatic: Bool) {
        self.value = value
        self.origin = origin
        self.isAutomatic = isAutomatic
    }
}
