import TestSupport

/// What one implementation came to in one round: a fresh pair, asked one thing after another.
struct WireGuardRound {
    let cost: TunnelPair.Cost
    let echoMedian: Double
    let echoNinetyNinth: Double
    let small: Iperf.Datagrams
    let large: Iperf.Datagrams
    /// The memory of both providers when they have done all this, in MiB.
    let resident: Double

    init(_ implementation: Implementation, with host: FarHost, effort: Effort) throws {
        let pair = try implementation.pair(with: host)
        // The first packets pay for neighbours, routes and pages that all others find.
        _ = try pair.echoes(count: 50)
        let echoes = try pair.echoes(count: effort.echoes)
        echoMedian = echoes.median
        echoNinetyNinth = echoes.ninetyNinth
        cost = try pair.stream(.seconds(effort.seconds))
        small = try pair.datagrams(length: 64, perSecond: 40_000, seconds: effort.seconds)
        large = try pair.datagrams(length: 1372, perSecond: 40_000, seconds: effort.seconds)
        // Not the time but the bytes make memory grow, and they are the same for both here.
        _ = try pair.stream(.mebibytes(effort.mebibytes / 10))
        resident = try pair.resident().reduce(0, +)
    }
}

/// How long a benchmark takes.
struct Effort {
    let rounds: Int
    let seconds: Int
    let echoes: Int
    let starts: Int
    let mebibytes: Int

    static let full = Effort(rounds: 3, seconds: 5, echoes: 2000, starts: 20, mebibytes: 10_240)
    /// Enough to see the effect of a change, not enough to state a figure.
    static let quick = Effort(rounds: 1, seconds: 2, echoes: 500, starts: 5, mebibytes: 1024)
}
