/// What a firewall table of ours is there for.
package enum FirewallMode: String, CaseIterable, Sendable {
    /// There is none.
    case none
    /// It drops packets to the tunnel's addresses that come from elsewhere.
    case antispoof
    /// Nothing leaves but by the tunnel, which runs.
    case killSwitch
    /// Nothing leaves at all: the tunnel of a kill switch does not run.
    case blocked

    /// Whether it keeps packets from leaving.
    package var blocks: Bool { self == .killSwitch || self == .blocked }
}
