internal import Glibc
internal import LinuxSystem
internal import TunnelModel

/// What a session host says: to the journal where it is a unit's, with fields; else on its standard
/// error, a line each, with the time.
///
/// Whatever a provider does must not fill the runtime directory, which is memory: both what
/// it says and what the host says about it are limited in their rate, and the file in its size.
final class HostLog {
    private static let longestFile = 4 << 20

    /// Up to this size it is kept for the sessions to come.
    private static let longestHistory = 1 << 20

    private let name: String
    private let ownFile: String
    private let journal: JournalSocket?
    private let fields: [(name: String, value: String)]
    /// The first line of the session.
    private let beginning: String
    private var notes = RateLimiter(perSecond: 50)
    private var relayed = RateLimiter(perSecond: 50)
    private var written = 0
    private var hasBegun = false

    /// The log of a session; standard error is emptied now and then if it is `ownFile`.
    init(_ configuration: Configuration, _ request: StartRequest, ownFile: String) {
        name = configuration.name
        self.ownFile = ownFile
        beginning = LogMarker.text(
            request.attempt, generation: configuration.generation)
        journal = JournalSocket()
        fields = [
            ("SYSLOG_IDENTIFIER", "utunctl"), ("UTUNCTL_NAME", name),
            ("UTUNCTL_IDENTIFIER", configuration.identifier),
            ("UTUNCTL_ATTEMPT", request.attempt), ("UTUNCTL_ORIGIN", request.origin.rawValue),
        ]
    }

    /// Says something of the host's own.
    func note(_ text: String, _ kind: LogKind = .note) {
        guard notes.admits() else { return }
        let suppressed = notes.takeSuppressed()
        if suppressed > 0 { write("utunctl", "\(suppressed) notes were left out", .note) }
        write("utunctl", text, kind)
    }

    /// Passes on what a provider said; escaped, and no more than anybody could read.
    func relay(_ source: String, _ text: String) {
        guard relayed.admits() else { return }
        let suppressed = relayed.takeSuppressed()
        if suppressed > 0 {
            write("utunctl", "\(suppressed) lines of the provider were left out", .note)
        }
        // Only a word, and not that of the host, may stand where it says who speaks.
        let isWord = !source.isEmpty && source.utf8.allSatisfy { (0x61...0x7A).contains($0) }
        let speaker = isWord && source != LogMarker.source ? source : "provider"
        write(speaker, text.madePrintable(limit: 1024), .provider)
    }

    private func write(_ source: String, _ text: String, _ kind: LogKind) {
        if enter(kind == .provider ? "\(source): \(text)" : text, kind) { return }
        begin()
        append(source, text)
        if written > Self.longestFile { startAnew() }
    }

    private func append(_ source: String, _ text: String) {
        let bytes = Array("\(Timestamp.now.text) \(source)[\(name)]: \(text)\n".utf8)
        // A log that cannot be written is no reason to end a tunnel.
        try? writeToStandard(STDERR_FILENO, bytes)
        written += bytes.count
    }

    /// Makes an entry of the journal, if there is one that takes it.
    private func enter(_ text: String, _ kind: LogKind) -> Bool {
        var entry = [
            ("MESSAGE", text), ("PRIORITY", String(kind.priority)),
            ("MESSAGE_ID", kind.messageID),
        ]
        entry += fields
        if let code = kind.code { entry.append(("UTUNCTL_CODE", code.rawValue)) }
        do throws(SystemError) {
            guard try journal?.send(entry) != nil else { return false }
            return true
        } catch {
            return false
        }
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
        append(LogMarker.source, beginning)
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
