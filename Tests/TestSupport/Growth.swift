import Glibc

/// The processor time of this thread, in nanoseconds.
private var processorTime: Double {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
}

/// How many times as long a task takes with `large` things as with `small` ones.
///
/// By the time of the processor, and the least of three runs each, as whatever else the machine
/// does only adds to them. A task
/// that takes time in proportion comes to `large / small`, one that looks at each thing for
/// each thing to the square of that.
package func growth(
    from small: Int,
    to large: Int,
    of task: (_ count: Int) throws -> Void
) rethrows -> Double {
    func least(_ count: Int) throws -> Double {
        var times: [Double] = []
        for _ in 0..<3 {
            let start = processorTime
            try task(count)
            times.append(processorTime - start)
        }
        return times.min() ?? 0
    }
    try task(small)
    return try least(large) / max(least(small), 1)
}
