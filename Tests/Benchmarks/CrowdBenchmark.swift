import TestSupport

/// What a thousand saved configurations cost, ten of which run.
struct CrowdBenchmark {
    private static let saved = 1000
    private static let running = 10
    private static let rounds = 30

    private let site: Installation

    init(_ site: Installation) {
        self.site = site
    }

    func figures() throws -> [Figure] {
        let configurations = (0..<Self.saved).map { #"{"name":"crowd\#($0)"}"# }
        try site.write(
            #"{"formatVersion":1,"configurations":[\#(configurations.joined(separator: ","))]}"#,
            to: "crowd.json")
        _ = try Stopwatch.run(site.command(["save", "--from", "\(site.root)/crowd.json"]))
        for number in 0..<Self.running {
            _ = try Stopwatch.run(site.command(["start", "--wait", "crowd\(number * 7)"]))
        }
        var statuses: [Double] = []
        var saves: [Double] = []
        for round in 0..<Self.rounds {
            statuses.append(try Stopwatch.run(site.command(["status", "--json"])))
            saves.append(
                try Stopwatch.run(site.command(["save", "crowd500", "--title", "round \(round)"])))
        }
        _ = try Stopwatch.run(site.command(["stop", "--all"]))
        return [
            Figure(
                name: "status of \(Self.saved) saved, \(Self.running) running",
                value: statuses.median, limit: .atMost(80), unit: "ms", detail: ""),
            Figure(
                name: "save of one among \(Self.saved)", value: saves.median, limit: .atMost(150),
                unit: "ms", detail: ""),
        ]
    }
}
