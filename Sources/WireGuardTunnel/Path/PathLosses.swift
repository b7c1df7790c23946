import WireGuard

/// What of the traffic came to nothing, and why.
struct PathLosses {
    let drops: Device.Drops
    let counts: PathCounts
    /// Packets that the interface did not take.
    let untakenPackets: UInt64
}
