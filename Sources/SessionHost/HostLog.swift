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

    private var name: String
    private let ownFile: String
    private let journal: JournalSocket?
    private var fields: [(name: String, value: String)]
    private var notes = RateLimiter(perSecond: 50)
    private var relayed = RateLimiter(perSecond: 50)
    private var written = 0

    /// The log of a session; standard error is emptied now and then if it is `ownFile`.
    init(name: String, identifier: String, attempt: String, ownFile: String) {
        self.name = name
        self.ownFile = ownFile
        journal = JournalSocket()
        fields = [
            ("SYSLOG_IDENTIFIER", "utunctl"), ("UTUNCTL_NAME", name),
            ("UTUNCTL_IDENTIFIER", identifier), ("UTUNCTL_ATTEMPT", attempt),
        ]
    }

    /// Speaks of the session by another name from now on.
    func rename(_ name: String) {
        self.name = name
        for index in fields.indices where fields[index].name == "UTUNCTL_NAME" {
            fields[index].value = name
        }
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
        write(source, text.madePrintable(limit: 1024), .provider)
    }

    private func write(_ source: String, _ text: String, _ kind: LogKind) {
        if enter(kind == .provider ? "\(source): \(text)" : text, kind) { return }
        let bytes = Array("\(Timestamp.now.text) \(source)[\(name)]: \(text)\n".utf8)
        // A log that cannot be written is no reason to end a tunnel.
        try? writeToStandard(STDERR_FILENO, bytes)
        written += bytes.count
        if written > Self.longestFile { startAnew() }
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
