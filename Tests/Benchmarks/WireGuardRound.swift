import TestSupport

/// What one implementation came to in one round: a fresh pair, asked one thing after another.
struct WireGuardRound {
    let cost: TunnelPair.Cost
    let small: Iperf.Datagrams
    let large: Iperf.Datagrams
    /// The memory of both providers when they have done all this, in MiB.
    let resident: Double

    init(_ implementation: Implementation, with host: FarHost, effort: Effort) throws {
        let pair = try implementation.pair(with: host)
        cost = try pair.stream(.seconds(effort.seconds))
        small = try pair.datagrams(length: 64, perSecond: 40_000, seconds: effort.seconds)
        large = try pair.datagrams(length: 1372, perSecond: 40_000, seconds: effort.seconds)
        // Not the time but the bytes make memory grow, and they are the same for both here.
        _ = try pair.stream(.mebibytes(effort.mebibytes / 10))
        resident = try pair.resident().reduce(0, +)
    }
}

/// The round trips of each implementation in one round.
struct EchoRound {
    private static let turns = 10

    /// In milliseconds.
    private(set) var times: [Implementation: [Double]] = [:]

    /// All tunnels stand and are asked in short turns: what else happens on the machine makes
    /// more of the highest percentiles than any of the implementations does.
    init(_ implementations: [Implementation], with host: FarHost, effort: Effort) throws {
        let pairs = try implementations.enumerated().map { number, implementation in
            (implementation, tunnel: try implementation.pair(with: host, number: number))
        }
        // The first packets pay for neighbours, routes and pages that all others find.
        for pair in pairs { _ = try pair.tunnel.echoes(count: 50) }
        for _ in 0..<Self.turns {
            for (implementation, tunnel) in pairs {
                times[implementation, default: []] += try tunnel.echoes(
                    count: effort.echoes / Self.turns)
            }
        }
    }
}

/// How long a benchmark takes.
struct Effort {
    let rounds: Int
    let seconds: Int
    let echoes: Int
    let starts: Int
    let mebibytes: Int

    static let full = Effort(rounds: 3, seconds: 5, echoes: 5000, starts: 20, mebibytes: 10_240)
    /// Enough to see the effect of a change, not enough to state a figure.
    static let quick = Effort(rounds: 1, seconds: 2, echoes: 500, starts: 5, mebibytes: 1024)
}
