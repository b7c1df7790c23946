/// How many times as long a task takes with `large` things as with `small` ones.
///
/// The least of three runs each, as whatever else the machine does only adds to them. A task
/// that takes time in proportion comes to `large / small`, one that looks at each thing for
/// each thing to the square of that.
package func growth(
    from small: Int,
    to large: Int,
    of task: (_ count: Int) throws -> Void
) rethrows -> Double {
    let clock = ContinuousClock()
    func least(_ count: Int) throws -> Duration {
        var times: [Duration] = []
        for _ in 0..<3 { times.append(try clock.measure { try task(count) }) }
        return times.min() ?? .zero
    }
    try task(small)
    return try least(large) / least(small)
}
