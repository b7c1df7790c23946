/// What happened to traffic that did not go its way.
struct PathCounts: Equatable {
    /// Packets from the TUN that nothing could be made of.
    var malformedPackets: UInt64 = 0
    /// Messages that the network did not take.
    var unsentMessages: UInt64 = 0
}
