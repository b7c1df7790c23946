/// A measured value beside the limit that it has to keep.
struct Figure {
    /// What a value has to keep to.
    enum Limit: Sendable {
        case atMost(Double)
        case atLeast(Double)
        /// None: the value is only told.
        case none
    }

    let name: String
    let value: Double
    let limit: Limit
    let unit: String
    /// What it was computed from.
    let detail: String

    var holds: Bool {
        switch limit {
        case .atMost(let limit): value <= limit
        case .atLeast(let limit): value >= limit
        case .none: true
        }
    }

    var line: String {
        let verdict: (mark: String, bound: String) =
            switch limit {
            case .atMost(let limit): (holds ? "ok  " : "MISS", " (at most \(limit.rounded(to: 2)))")
            case .atLeast(let limit):
                (holds ? "ok  " : "MISS", " (at least \(limit.rounded(to: 2)))")
            case .none: ("    ", "")
            }
        return "\(verdict.mark) \(name): \(value.rounded(to: 2)) \(unit)\(verdict.bound)"
            + (detail.isEmpty ? "" : "; \(detail)")
    }
}

extension Double {
    /// The value with so many decimals.
    func rounded(to decimals: Int) -> String {
        var scale = 1.0
        for _ in 0..<decimals { scale *= 10 }
        return "\((self * scale).rounded() / scale)"
    }
}

extension [Double] {
    /// The middle value.
    var median: Double {
        isEmpty ? 0 : sorted()[count / 2]
    }

    /// The value that 99 of 100 do not exceed.
    var ninetyNinth: Double {
        isEmpty ? 0 : sorted()[Swift.min(count * 99 / 100, count - 1)]
    }
}
