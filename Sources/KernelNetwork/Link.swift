package import TunnelModel

/// A network interface, as the kernel described it in one message.
package struct Link: Equatable, Sendable {
    /// The interface index.
    package var index: UInt32

    /// The interface name.
    package var name: String

    /// The free text that marks the link; nil where it has none.
    package var alias: String?

    /// The largest packet, in bytes.
    package var mtu: UInt32

    /// Whether somebody has set the link up (`IFF_UP`).
    package var isUp: Bool

    /// Whether the link has a carrier (`IFLA_CARRIER`), up or not; a TUN has one exactly while a
    /// process holds it open.
    ///
    /// `IFF_LOWER_UP` would not do: the kernel shows it only of links that are up.
    package var hasCarrier: Bool

    /// Whether this is the loopback interface (`IFF_LOOPBACK`).
    package var isLoopback: Bool

    /// The kind of a virtual link, such as "tun"; nil for most hardware.
    package var kind: String?

    /// The hardware type, an `ARPHRD_…` number.
    package var hardwareType: UInt32

    /// Whether a TUN or TAP outlives the process that holds it; nil for other links.
    package var isPersistent: Bool?

    /// What the link has counted.
    package var statistics: InterfaceCounters

    /// A link with these properties.
    package init(
        index: UInt32,
        name: String,
        alias: String? = nil,
        mtu: UInt32 = 1500,
        isUp: Bool = false,
        hasCarrier: Bool = false,
        isLoopback: Bool = false,
        kind: String? = nil,
        hardwareType: UInt32 = 1,
        isPersistent: Bool? = nil,
        statistics: InterfaceCounters = InterfaceCounters()
    ) {
        self.index = index
        self.name = name
        self.alias = alias
        self.mtu = mtu
        self.isUp = isUp
        self.hasCarrier = hasCarrier
        self.isLoopback = isLoopback
        self.kind = kind
        self.hardwareType = hardwareType
        self.isPersistent = isPersistent
        self.statistics = statistics
    }
}
