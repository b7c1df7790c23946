import TestSupport

/// What one command costs on one tunnel.
struct CommandBenchmark {
    private static let rounds = 300
    private static let cycles = 50

    private let site: Installation

    init(_ site: Installation) throws {
        self.site = site
        try site.save("bench")
    }

    func figures() throws -> [Figure] {
        let cycle = try measureCycle()
        return [try measureStatus()] + cycle
    }

    // Interleaved, so that whatever else the machine does meets both alike.
    private func measureStatus() throws -> Figure {
        _ = try Stopwatch.run(site.command(["start", "--wait", "bench"]))
        let ip = ["/usr/sbin/ip", "-s", "-j", "link", "show", "dev", "utun0"]
        let status = site.command(["status", "bench"])
        var theirs: [Double] = []
        var ours: [Double] = []
        for _ in 0..<Self.rounds {
            theirs.append(try Stopwatch.run(ip))
            ours.append(try Stopwatch.run(status))
        }
        _ = try Stopwatch.run(site.command(["stop", "bench"]))
        let detail = "\(ours.median.rounded(to: 2)) ms against \(theirs.median.rounded(to: 2)) ms"
        return Figure(
            name: "status NAME / ip -s -j link show dev", value: ours.median / theirs.median,
            limit: .atMost(2.2), unit: "x", detail: detail)
    }

    private func measureCycle() throws -> [Figure] {
        var starts: [Double] = []
        var stops: [Double] = []
        for _ in 0..<Self.cycles {
            starts.append(try Stopwatch.run(site.command(["start", "--wait", "bench"])))
            stops.append(try Stopwatch.run(site.command(["stop", "bench"])))
        }
        return [
            Figure(
                name: "start --wait, loopback", value: starts.median, limit: .atMost(40),
                unit: "ms",
                detail: "median of \(Self.cycles)"),
            Figure(
                name: "stop", value: stops.median, limit: .atMost(45), unit: "ms",
                detail: "median of \(Self.cycles)"),
        ]
    }
}
