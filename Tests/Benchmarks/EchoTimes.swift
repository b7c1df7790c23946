import TestSupport

/// Round trips of ping on an otherwise idle tunnel.
enum EchoTimes {
    /// The milliseconds of each answer, in their order; a lost one is an error.
    static func measure(to address: String, count: Int) throws -> [Double] {
        // 2 ms is the shortest interval that ping allows to everybody.
        let result = try Command.run(["ping", "-n", "-i", "0.002", "-c", "\(count)", address])
        let times = result.output.split(separator: "\n").compactMap { line -> Double? in
            guard let word = line.split(separator: " ").first(where: { $0.hasPrefix("time=") })
            else { return nil }
            return Double(word.dropFirst("time=".count))
        }
        guard times.count == count else {
            throw Unexpected("\(times.count) of \(count) echoes: \(result.errors)")
        }
        return times
    }
}
