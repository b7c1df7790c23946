internal import CLinux

/// Tells when the system has slept: CLOCK_BOOTTIME has then gone on, and CLOCK_MONOTONIC has not.
///
/// Nothing wakes up for it but a change of the wall clock, which the end of a sleep is as well:
/// timerfd_create(2), TFD_TIMER_CANCEL_ON_SET.
package final class SleepWatch {
    /// Less is no sleep: the two clocks are not read at the same moment.
    private static let leastNanoseconds: Int64 = 1_000_000_000

    private let timer: FileDescriptor
    private var slept = SleepWatch.sleptSoFar

    package init() throws(SystemError) {
        timer = FileDescriptor(
            taking: try checkShim("timerfd_create") { ut_clock_watch_create() })
    }

    /// Readable when there is something to look at.
    package var raw: CInt { timer.raw }

    /// Whether the system has slept since this was last asked.
    package func hasSlept() -> Bool {
        _ = ut_clock_watch_drain(timer.raw)
        let now = Self.sleptSoFar
        defer { slept = now }
        return Self.isSleep(from: slept, to: now)
    }

    /// Whether the difference of the clocks has grown by a sleep.
    static func isSleep(from former: Int64, to now: Int64) -> Bool {
        now - former >= leastNanoseconds
    }

    private static var sleptSoFar: Int64 { Clock.bootNanoseconds - Clock.monotonicNanoseconds }
}
