import Glibc

/// The clocks of the kernel.
package enum Clock {
    /// Microseconds since 1970, as the wall clock stands: CLOCK_REALTIME.
    package static var wallMicroseconds: Int64 { nanoseconds(CLOCK_REALTIME) / 1000 }

    /// Nanoseconds that only go on, without sleep: CLOCK_MONOTONIC, for time-outs.
    package static var monotonicNanoseconds: Int64 { nanoseconds(CLOCK_MONOTONIC) }

    /// Nanoseconds that go on during sleep too: CLOCK_BOOTTIME, for ages.
    package static var bootNanoseconds: Int64 { nanoseconds(CLOCK_BOOTTIME) }

    private static func nanoseconds(_ clock: clockid_t) -> Int64 {
        var time = timespec()
        clock_gettime(clock, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}

/// A moment of CLOCK_MONOTONIC until which something may take.
package struct Deadline: Sendable {
    private let nanoseconds: Int64?

    /// More milliseconds than anybody waits: about 35 years.
    static let longest: Int64 = 1 << 40

    /// A deadline so many milliseconds from now.
    package static func after(milliseconds: Int64) -> Deadline {
        let delay = min(max(milliseconds, 0), longest) * 1_000_000
        return Deadline(nanoseconds: Clock.monotonicNanoseconds + delay)
    }

    /// The deadline that comes first.
    package static func first(_ one: Deadline, _ other: Deadline) -> Deadline {
        guard let nanoseconds = one.nanoseconds else { return other }
        return nanoseconds <= other.nanoseconds ?? .max ? one : other
    }

    /// No deadline.
    package static let never = Deadline(nanoseconds: nil)

    /// Milliseconds that are left, rounded up; 0 when it has passed, -1 for never, as
    /// poll(2) takes them.
    package var remainingMilliseconds: CInt {
        guard let nanoseconds else { return -1 }
        let left = nanoseconds - Clock.monotonicNanoseconds
        return left <= 0 ? 0 : CInt(min((left + 999_999) / 1_000_000, 86_400_000))
    }

    /// Whether nothing is left.
    package var hasPassed: Bool { remainingMilliseconds == 0 }
}
