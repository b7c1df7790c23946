/// A measured value beside the limit that it has to keep.
struct Figure {
    let name: String
    let value: Double
    let limit: Double
    let unit: String
    /// What it was computed from.
    let detail: String

    var holds: Bool { value <= limit }

    var line: String {
        "\(holds ? "ok  " : "MISS") \(name): \(value.rounded(to: 2)) \(unit)"
            + " (at most \(limit.rounded(to: 2)))\(detail.isEmpty ? "" : "; \(detail)")"
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
}
