/// The status of a tunnel, in NetworkExtension's words.
package enum TunnelStatus: String, CaseIterable, Sendable {
    /// Nothing runs, and nothing may: the configuration is absent or disabled.
    case invalid
    case disconnected
    case connecting
    case connected
    /// It was connected, and the provider works to be so again.
    case reasserting
    case disconnecting
    /// The interface and its routes exist, and the provider starts with the first packet.
    case waiting
    /// The truth cannot be read; never the last known value in its place.
    case unknown

    /// Whether everything that is set for a tunnel is to be there.
    var hasInterface: Bool { self == .connected || self == .waiting }
}
