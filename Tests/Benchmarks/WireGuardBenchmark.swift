import TestSupport

/// What our WireGuard costs beside Debian's wireguard-go, in turns.
struct WireGuardBenchmark {
    let effort: Effort
    let implementations: [Implementation]

    func figures(_ tell: (Figure) -> Void) throws {
        let host = try FarHost()
        var rounds: [Implementation: [WireGuardRound]] = [:]
        var echoes: [Implementation: [[Double]]] = [:]
        for _ in 0..<effort.rounds {
            let round = try EchoRound(implementations, with: host, effort: effort)
            for (implementation, times) in round.times {
                echoes[implementation, default: []].append(times)
            }
            for implementation in implementations {
                rounds[implementation, default: []].append(
                    try WireGuardRound(implementation, with: host, effort: effort))
            }
        }
        for measure in Measure<WireGuardRound>.all {
            measure.figures(of: rounds).forEach(tell)
        }
        for measure in Measure<[Double]>.all {
            measure.figures(of: echoes).forEach(tell)
        }
        for length in [64, 1372] { tell(try measureWithoutTunnel(host, length: length)) }
    }

    /// What the cable and iperf3 lose by themselves, which no tunnel can do better than.
    private func measureWithoutTunnel(_ host: FarHost, length: Int) throws -> Figure {
        let sent = try Iperf.datagrams(
            to: host.v4, at: host.place, length: length, perSecond: 40_000,
            seconds: effort.seconds
        ).sent()
        return Figure(
            name: "UDP of \(length) bytes, lost, no tunnel", value: sent.lostPercent, limit: .none,
            unit: "%", detail: "")
    }
}

/// A number that a round has, and how ours may stand to the other's.
private struct Measure<Round: Sendable>: Sendable {
    let name: String
    let unit: String
    /// The limit of ours divided by the other's.
    var ratio: Figure.Limit?
    /// The limit of ours alone.
    var own: Figure.Limit?
    let value: @Sendable (Round) -> Double

    /// Each implementation's median, and ours against the other's where both ran.
    func figures(of rounds: [Implementation: [Round]]) -> [Figure] {
        let medians = Implementation.allCases.compactMap { implementation in
            rounds[implementation].map { rounds in
                let values = rounds.map(value)
                return (implementation, value: values.median, all: values)
            }
        }
        var figures = medians.map { implementation, median, all in
            let limit = implementation == .utunctl ? own ?? .none : .none
            return Figure(
                name: "\(name), \(implementation.rawValue)", value: median, limit: limit,
                unit: unit,
                detail: all.count < 2
                    ? "" : all.map { $0.rounded(to: 3) }.joined(separator: " "))
        }
        if let ratio, medians.count == 2 {
            figures.append(
                Figure(
                    name: "\(name), utunctl / wireguard-go",
                    value: medians[0].value / medians[1].value, limit: ratio, unit: "x",
                    detail: ""))
        }
        return figures
    }
}

extension Measure<WireGuardRound> {
    static let all = [
        Measure(
            name: "one TCP stream", unit: "Gbit/s", ratio: .atLeast(6),
            value: { $0.cost.bitsPerSecond / 1e9 }),
        Measure(
            name: "CPU of both providers", unit: "s/GiB", ratio: .atMost(0.18),
            value: \.cost.providerSecondsPerGibibyte),
        Measure(
            name: "CPU of the whole machine", unit: "s/GiB",
            value: \.cost.machineSecondsPerGibibyte),
        Measure(
            name: "resident memory of both providers", unit: "MiB", ratio: .atMost(0.25),
            value: \.resident),
        Measure(
            name: "UDP of 64 bytes, lost", unit: "%", own: .atMost(0.5),
            value: \.small.lostPercent),
        Measure(name: "UDP of 64 bytes, offered", unit: "/s", value: \.small.offeredPerSecond),
        Measure(
            name: "UDP of 1372 bytes, lost", unit: "%", own: .atMost(0.5),
            value: \.large.lostPercent),
        Measure(name: "UDP of 1372 bytes, offered", unit: "/s", value: \.large.offeredPerSecond),
    ]
}

extension Measure<[Double]> {
    static let all = [
        Measure(name: "ping, median", unit: "ms", ratio: .atMost(1), value: \.median),
        Measure(name: "ping, p99", unit: "ms", ratio: .atMost(1), value: \.ninetyNinth),
    ]
}
