/// What an interface has counted since it was created; 64 bits each.
package struct LinkStatistics: Equatable, Sendable {
    /// Bytes received.
    package var receivedBytes: UInt64 = 0

    /// Bytes sent.
    package var sentBytes: UInt64 = 0

    /// Packets received.
    package var receivedPackets: UInt64 = 0

    /// Packets sent.
    package var sentPackets: UInt64 = 0

    /// Packets received with errors.
    package var receivedErrors: UInt64 = 0

    /// Packets that could not be sent.
    package var sentErrors: UInt64 = 0

    /// Packets received and dropped.
    package var receivedDropped: UInt64 = 0

    /// Packets dropped on their way out.
    package var sentDropped: UInt64 = 0

    /// Counters that are all zero.
    package init() {}
}
