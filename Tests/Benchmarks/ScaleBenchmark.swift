import TestSupport

/// Four tunnels against one, a thousand peers against one, a lot of bytes, and the start.
struct ScaleBenchmark {
    private static let tunnels = 4
    private static let peers = 1000

    let effort: Effort
    let implementation: Implementation

    func figures(_ tell: (Figure) -> Void) throws {
        let host = try FarHost()
        tell(try measureTunnels(host))
        try measurePeers(host).forEach(tell)
        tell(try measureMemory(host))
        if implementation == .utunctl { tell(try measureStart(host)) }
    }

    private func measureTunnels(_ host: FarHost) throws -> Figure {
        let pairs = try (0..<Self.tunnels).map { number in
            try implementation.pair(with: host, number: number)
        }
        var one: [Double] = []
        var all: [Double] = []
        for _ in 0..<effort.rounds {
            one.append(try pairs[0].stream(.seconds(effort.seconds)).bitsPerSecond / 1e9)
            let streams = try pairs.enumerated().map { number, pair in
                try pair.prepareStream(.seconds(effort.seconds), port: 5201 + number)
            }
            all.append(
                try Iperf.together(streams).map(\.bitsPerSecond).reduce(0, +) / 1e9)
        }
        return Figure(
            name: "\(Self.tunnels) tunnels at once / one tunnel", value: all.median / one.median,
            limit: limit(.atLeast(1)), unit: "x",
            detail: "\(all.median.rounded(to: 2)) Gbit/s against \(one.median.rounded(to: 2))")
    }

    private func measurePeers(_ host: FarHost) throws -> [Figure] {
        var few: [Double] = []
        var many: [Double] = []
        for _ in 0..<effort.rounds {
            for peers in [1, Self.peers] {
                let pair = try implementation.pair(with: host, peers: peers)
                let stream = try pair.stream(.seconds(effort.seconds)).bitsPerSecond / 1e9
                if peers == 1 { few.append(stream) } else { many.append(stream) }
            }
        }
        let throughput = Figure(
            name: "throughput with \(Self.peers) peers / with one",
            value: many.median / few.median, limit: limit(.atLeast(0.9)), unit: "x",
            detail: "\(many.median.rounded(to: 2)) Gbit/s against \(few.median.rounded(to: 2))")
        guard implementation == .utunctl else { return [throughput] }
        let setUp = try measureStarts(host, peers: Self.peers)
        return [
            throughput,
            Figure(
                name: "start --wait with \(Self.peers) peers", value: setUp, limit: .atMost(500),
                unit: "ms", detail: "median of \(effort.starts)"),
        ]
    }

    private func measureMemory(_ host: FarHost) throws -> Figure {
        let pair = try implementation.pair(with: host)
        _ = try pair.stream(.mebibytes(effort.mebibytes))
        let resident = try pair.resident()
        let parts = resident.map { $0.rounded(to: 1) }.joined(separator: " and ")
        return Figure(
            name: "resident provider after \(effort.mebibytes) MiB",
            value: resident.max() ?? 0,
            limit: limit(.atMost(16)), unit: "MiB", detail: "\(parts), the larger counts")
    }

    private func measureStart(_ host: FarHost) throws -> Figure {
        Figure(
            name: "start --wait with handshake", value: try measureStarts(host, peers: 1),
            limit: .atMost(60), unit: "ms", detail: "median of \(effort.starts)")
    }

    private func measureStarts(_ host: FarHost, peers: Int) throws -> Double {
        let ends = try TunnelPair.Ends(host, number: 0, peers: peers)
        let far = try EnrolledTunnel(ends.far, at: Installation(at: host.place))
        try far.connect()
        let near = try EnrolledTunnel(ends.near, at: Installation())
        var starts: [Double] = []
        for _ in 0..<effort.starts {
            starts.append(
                try Stopwatch.run(near.site.command(["start", "--wait", near.name])))
            _ = try Stopwatch.run(near.site.command(["stop", near.name]))
        }
        return starts.median
    }

    /// The targets are ours; what the other program does is only told.
    private func limit(_ limit: Figure.Limit) -> Figure.Limit {
        implementation == .utunctl ? limit : .none
    }
}
