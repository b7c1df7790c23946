internal import Glibc
internal import LinuxSystem
internal import TunnelModel

/// What a session host says, on its standard error: a line each, with the time.
///
/// Whatever a provider does must not fill the runtime directory, which is memory: both what
/// it says and what the host says about it are limited in their rate, and the file in its size.
final class HostLog {
    private static let longestFile = 4 << 20

    /// Up to this size it is kept for the sessions to come.
    private static let longestHistory = 1 << 20

    private let name: String
    private let ownFile: String
    /// The first line of the session.
    private let beginning: String
    private var notes = RateLimiter(perSecond: 50)
    private var relayed = RateLimiter(perSecond: 50)
    private var written = 0
    private var hasBegun = false

    /// The log of a session; standard error is emptied now and then if it is `ownFile`.
    init(name: String, ownFile: String, attempt: String, generation: UInt64) {
        self.name = name
        self.ownFile = ownFile
        beginning = LogMarker.text(attempt, generation: generation)
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
        // Only a word, and not that of the host, may stand where it says who speaks.
        let isWord = !source.isEmpty && source.utf8.allSatisfy { (0x61...0x7A).contains($0) }
        let speaker = isWord && source != LogMarker.source ? source : "provider"
        write("\(speaker)[\(name)]: \(text.madePrintable(limit: 1024))")
    }

    private func write(_ line: String) {
        begin()
        let bytes = Array("\(Timestamp.now.text) \(line)\n".utf8)
        // A log that cannot be written is no reason to end a tunnel.
        try? writeToStandard(STDERR_FILENO, bytes)
        written += bytes.count
        if written > Self.longestFile { startAnew() }
    }

    // With the first line and not before: who says nothing leaves nothing.
    private func begin() {
        guard !hasBegun else { return }
        hasBegun = true
        guard standardErrorIs(ownFile) else { return }
        var status = stat()
        if fstat(STDERR_FILENO, &status) == 0 { written = Int(status.st_size) }
        if written > Self.longestHistory { startAnew() } else { mark() }
    }

    // In the foreground it may be any file of the caller's, with others' lines in it.
    private func startAnew() {
        written = 0
        guard standardErrorIs(ownFile) else { return }
        _ = ftruncate(STDERR_FILENO, 0)
        mark()
    }

    /// Says whose the lines behind it are.
    private func mark() {
        write("\(LogMarker.source)[\(name)]: \(beginning)")
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
