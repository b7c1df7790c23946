internal import Glibc
internal import LinuxSystem
internal import TunnelModel

/// What a session host says, on its standard error: a line each, with the time.
///
/// Whatever a provider does must not fill the runtime directory, which is memory: both what
/// it says and what the host says about it are limited in their rate, and the file in its size.
final class HostLog {
    private static let longestFile = 4 << 20

    private let name: String
    private let ownFile: String
    private var notes = RateLimiter(perSecond: 50)
    private var relayed = RateLimiter(perSecond: 50)
    private var written = 0

    /// The log of a session; standard error is emptied now and then if it is `ownFile`.
    init(name: String, ownFile: String) {
        self.name = name
        self.ownFile = ownFile
    }

    /// Says something of the host's own.
    func note(_ text: String) {
        guard notes.admits() else { return }
        let suppressed = notes.takeSuppressed()
        if suppressed > 0 { write("utunctl[\(name)]: \(suppressed) notes were left out") }
        write("utunctl[\(name)]: \(text)")
    }

    /// Passes on what a provider said; escaped, and no more than anybody could read.
    func relay(_ source: String, _ text: String) {
        guard relayed.admits() else { return }
        let suppressed = relayed.takeSuppressed()
        if suppressed > 0 {
            write("utunctl[\(name)]: \(suppressed) lines of the provider were left out")
        }
        write("\(source)[\(name)]: \(text.madePrintable(limit: 1024))")
    }

    private func write(_ line: String) {
        let bytes = Array("\(Timestamp.now.text) \(line)\n".utf8)
        // A log that cannot be written is no reason to end a tunnel.
        try? writeToStandard(STDERR_FILENO, bytes)
        written += bytes.count
        if written > Self.longestFile { startAnew() }
    }

    // In the foreground it may be any file of the caller's, with others' lines in it.
    private func startAnew() {
        written = 0
        guard standardErrorIs(ownFile) else { return }
        _ = ftruncate(STDERR_FILENO, 0)
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
