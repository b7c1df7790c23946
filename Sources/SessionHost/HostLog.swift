internal import Glibc
internal import LinuxSystem
internal import TunnelModel

/// What a session host says, on its standard error: a line each, with the time.
final class HostLog {
    private let name: String
    private var limiter = RateLimiter(perSecond: 50)

    init(name: String) {
        self.name = name
    }

    /// Says something of the host's own.
    func note(_ text: String) {
        write("utunctl[\(name)]: \(text)")
    }

    /// Passes on what a provider said; escaped, and no more than anybody could read.
    func relay(_ source: String, _ text: String) {
        guard limiter.admits() else { return }
        let suppressed = limiter.takeSuppressed()
        if suppressed > 0 { note("\(suppressed) lines of the provider were left out") }
        write("\(source)[\(name)]: \(text.madePrintable(limit: 1024))")
    }

    private func write(_ line: String) {
        let text = "\(Timestamp.now.text) \(line)\n"
        // A log that cannot be written is no reason to end a tunnel.
        try? writeToStandard(STDERR_FILENO, Array(text.utf8))
    }
}

extension String {
    /// The text without anything that could steer a terminal, cut at `limit` bytes.
    package func madePrintable(limit: Int) -> String {
        var result = ""
        var length = 0
        for scalar in unicodeScalars {
            let isControl =
                scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value)
                || scalar.properties.generalCategory == .format
            let piece = isControl ? "\\u{\(String(scalar.value, radix: 16))}" : String(scalar)
            length += piece.utf8.count
            if length > limit { return result + "…" }
            result += piece
        }
        return result
    }
}
