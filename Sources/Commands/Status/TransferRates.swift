internal import TunnelModel

/// How fast bytes go through interfaces, by the differences of the kernel's counters.
struct TransferRates {
    /// Bytes in a second.
    struct Rate: Equatable {
        let received: UInt64
        let sent: UInt64
    }

    /// A difference over less than this says more about chance than about the tunnel.
    private static let shortest: Int64 = 900_000_000

    private struct Reading {
        let interface: Int
        let counters: InterfaceCounters
        let nanoseconds: Int64
        let rate: Rate?
    }

    private var readings: [String: Reading] = [:]

    /// The rate of a tunnel since it was last measured; `nil` until there are two readings of the
    /// same interface.
    mutating func rate(of report: TunnelReport, at nanoseconds: Int64) -> Rate? {
        guard report.session != nil, let link = report.kernel?.link else {
            readings[report.identifier] = nil
            return nil
        }
        let former = readings[report.identifier]
        if let former, former.interface == link.index {
            let elapsed = nanoseconds - former.nanoseconds
            if elapsed < Self.shortest { return former.rate }
            let rate = Self.rate(former.counters, link.counters, elapsed)
            keep(rate, link, nanoseconds, report.identifier)
            return rate
        }
        keep(nil, link, nanoseconds, report.identifier)
        return nil
    }

    private mutating func keep(
        _ rate: Rate?,
        _ link: KernelReading.Link,
        _ nanoseconds: Int64,
        _ identifier: String
    ) {
        readings[identifier] = Reading(
            interface: link.index, counters: link.counters, nanoseconds: nanoseconds, rate: rate)
    }

    /// `nil` where a counter went back: it is another one, whatever its number.
    private static func rate(
        _ former: InterfaceCounters,
        _ latter: InterfaceCounters,
        _ nanoseconds: Int64
    ) -> Rate? {
        guard latter.receivedBytes >= former.receivedBytes, latter.sentBytes >= former.sentBytes
        else { return nil }
        func inSecond(_ bytes: UInt64) -> UInt64 {
            let exact = Double(bytes) * 1e9 / Double(nanoseconds)
            return exact < 1e18 ? UInt64(exact.rounded()) : .max
        }
        return Rate(
            received: inSecond(latter.receivedBytes - former.receivedBytes),
            sent: inSecond(latter.sentBytes - former.sentBytes))
    }
}
