internal import TunnelModel

/// When a tunnel that failed is tried again, and how often.
package struct RetryPolicy: Equatable, Sendable {
    /// The pause after the first failure, in milliseconds; it doubles with each further one.
    package var firstMilliseconds: Int64
    /// The longest pause, in milliseconds.
    package var longestMilliseconds: Int64
    /// After how many failures in a row nothing more is tried.
    package var mostFailures: Int
    /// How many starts there may be in `windowMilliseconds`, whatever asks for them: a network
    /// that comes and goes is no failure, and no reason for a storm either.
    package var mostStarts = 5
    package var windowMilliseconds: Int64 = 60_000
    /// How long a tunnel must have run, beyond the time that a start may take, for its next
    /// failure to count as the first.
    package var steadyMilliseconds: Int64 = 60_000
    /// How long a system that is about to sleep may take to do so.
    package var sleepMilliseconds: Int64 = 30_000

    /// The service's own: 5 seconds, 10, 20, … at most 5 minutes, and 8 failures.
    package init(
        firstMilliseconds: Int64 = 5000,
        longestMilliseconds: Int64 = 300_000,
        mostFailures: Int = 8
    ) {
        self.firstMilliseconds = firstMilliseconds
        self.longestMilliseconds = longestMilliseconds
        self.mostFailures = mostFailures
    }

    /// The pause after so many failures, in milliseconds.
    ///
    /// Many hosts lose one server at the same moment, and are not to come back to it at the same
    /// moment: `jitter`, from 0 to 1, takes up to a quarter off.
    package func pause(afterFailures failures: Int, jitter: Double) -> Int64 {
        let doublings = min(max(failures - 1, 0), 32)
        let doubled = firstMilliseconds.multipliedReportingOverflow(by: 1 << doublings)
        let pause = doubled.overflow ? longestMilliseconds : doubled.partialValue
        let whole = max(1, min(pause, longestMilliseconds))
        return max(1, whole - Int64(Double(whole) * 0.25 * min(max(jitter, 0), 1)))
    }

    /// More than anything is ever put off.
    var longestWait: Int64 { max(longestMilliseconds, windowMilliseconds, sleepMilliseconds) }

    /// When the next start may be, where there have been too many of late; `nil` where it may be
    /// now.
    func startLimit(_ starts: [Timestamp], now: Timestamp) -> Timestamp? {
        let starts = starts.filter { $0 <= now }
        guard starts.count >= mostStarts else { return nil }
        let oldest = starts[starts.count - mostStarts].advanced(milliseconds: windowMilliseconds)
        return oldest > now ? oldest : nil
    }
}

extension Timestamp {
    func advanced(milliseconds: Int64) -> Timestamp {
        Timestamp(microseconds: microseconds + milliseconds * 1000)
    }
}
