/// What is known of the firewall of a tunnel, whether that runs or not.
package struct FirewallReading: Equatable, Sendable {
    /// What it is there for; `nil` where this user may not know.
    package var mode: FirewallMode?
    /// Whether it is in force; `nil` where this user may not know.
    package var isPresent: Bool?
    /// Until when its block is lifted.
    package var pausedUntil: Timestamp?
    /// Whether nothing but `unblock` lifts the block.
    package var isLockdown: Bool
    /// Whether the routes hold packets back although no tunnel runs.
    package var isHeldByRoutes = false

    package init(
        mode: FirewallMode? = FirewallMode.none,
        isPresent: Bool? = false,
        pausedUntil: Timestamp? = nil,
        isLockdown: Bool = false
    ) {
        self.mode = mode
        self.isPresent = isPresent
        self.pausedUntil = pausedUntil
        self.isLockdown = isLockdown
    }

    /// What cannot be read.
    package static let unknown = FirewallReading(mode: nil, isPresent: nil)

    /// Whether it keeps this host from the network although no tunnel runs.
    package var blocksWithoutTunnel: Bool {
        mode == .blocked && pausedUntil == nil && (isPresent == true || isHeldByRoutes)
    }

    /// The reading of a tunnel that does not run, whose table lets nothing out by any.
    package func withoutTunnel(heldByRoutes: Bool) -> FirewallReading {
        var reading = self
        if heldByRoutes || mode?.blocks == true { reading.mode = .blocked }
        reading.isHeldByRoutes = heldByRoutes
        return reading
    }
}
