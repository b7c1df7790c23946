internal import Glibc
internal import JSON
internal import LinuxSystem
internal import Preferences
internal import TunnelModel

/// What session hosts wrote to the journal, by journalctl(1).
struct Journal {
    /// What was found.
    struct Found {
        var lines: [LogLine] = []
        /// The place of the last one, from which to go on.
        var cursor: String?
    }

    /// An entry as the program prints it.
    struct Entry {
        let line: LogLine
        let cursor: String?
    }

    private let program: String
    private let identifier: String
    /// Why it answers nothing of what session hosts wrote, where this user may not read it.
    let forbidden: Failure?

    /// `nil` where there is no such program.
    init?(_ layout: FileLayout, identifier: String) {
        program = layout.path("/usr/bin/journalctl")
        self.identifier = identifier
        forbidden = Self.forbidden(layout)
        guard access(program, X_OK) == 0 else { return nil }
    }

    /// journalctl(1) shows the entries that it may, and does not tell of others.
    private static func forbidden(_ layout: FileLayout) -> Failure? {
        for place in ["/var/log/journal", "/run/log/journal"].map({ layout.path($0) }) {
            for machine in (try? Directory.names(place)) ?? [] {
                let path = "\(place)/\(machine)/system.journal"
                guard access(path, R_OK) != 0, errno == EACCES else { continue }
                return Failure(
                    .notPossible, "logForbidden", "this user may not read the journal (\(path))",
                    hint: "run as root, or as a member of the group systemd-journal")
            }
        }
        return nil
    }

    /// The entries of one attempt or all, no more than the last `count`.
    func lines(attempt: String?, last count: UInt64?) throws(Failure) -> Found {
        var options: [String] = []
        if let count { options.append("--lines=\(count)") }
        let child = try launch(options, attempt)
        var found = Found()
        var buffer = LineBuffer(longest: Self.longestEntry)
        do throws(SystemError) {
            while true {
                let bytes = try child.output.read(atMost: 65_536)
                if bytes.isEmpty { break }
                buffer.append(bytes)
                for entry in Self.entries(&buffer) {
                    found.lines.append(entry.line)
                    found.cursor = entry.cursor ?? found.cursor
                }
            }
        } catch {
            throw Failure(error)
        }
        return found
    }

    /// A process that prints entries as they come, from behind a cursor or a moment on.
    func follow(attempt: String?, behind cursor: String?, since: Timestamp) throws(Failure)
        -> JournalProcess
    {
        let start =
            cursor.map { "--after-cursor=\($0)" }
            ?? "--since=@\(since.microseconds / 1_000_000)"
        return try launch(["--follow", "--no-tail", start], attempt)
    }

    /// The entries that are whole.
    static func entries(_ buffer: inout LineBuffer) -> [Entry] {
        var entries: [Entry] = []
        do throws(LineBuffer.Overflow) {
            while let line = try buffer.next() {
                if let entry = entry(line) { entries.append(entry) }
            }
        } catch {
            // No line of ours is that long; what is left of this one is none either.
            buffer = LineBuffer(longest: longestEntry)
        }
        return entries
    }

    /// A field may be that long; a message of a host is a line.
    static let longestEntry = 1 << 20

    private func launch(_ options: [String], _ attempt: String?) throws(Failure)
        -> JournalProcess
    {
        var arguments =
            ["journalctl", "--output=json", "--all", "--no-pager", "--quiet"] + options
            // Anybody may write to the journal; the fields with "_" are journald's own.
            + ["_UID=0", "UTUNCTL_IDENTIFIER=\(identifier)"]
        if let attempt { arguments.append("UTUNCTL_ATTEMPT=\(attempt)") }
        let executable: FileDescriptor
        do throws(TrustedFile.Failure) {
            executable = try TrustedFile.openExecutable(program)
        } catch {
            throw Failure(.notPossible, "journalUnusable", error.text)
        }
        do throws(SystemError) {
            let pipe = try Pipe()
            do throws(ChildProcess.LaunchError) {
                let child = try ChildProcess.launch(
                    executable: executable, name: program, arguments: arguments,
                    environment: ["PATH=/usr/sbin:/usr/bin:/sbin:/bin", "LANG=C.UTF-8"],
                    descriptors: [nil, pipe.writing.raw, nil],
                    isScript: Script(at: program) != nil)
                return JournalProcess(child, pipe.keepReading())
            } catch {
                throw error.error
            }
        } catch {
            throw Failure(error)
        }
    }

    private static func entry(_ line: [UInt8]) -> Entry? {
        let value = try? JSONDocument(parsing: line).withRoot { node throws(JSONError) in node.value
        }
        guard let entry = value?.object, let message = text(entry["MESSAGE"]) else { return nil }
        var line = LogLine(place: .journal, text: message)
        line.time = text(entry["__REALTIME_TIMESTAMP"]).flatMap { Int64($0) }
            .map { Timestamp(microseconds: $0) }
        line.source = text(entry["SYSLOG_IDENTIFIER"]) ?? LogMarker.source
        if text(entry["MESSAGE_ID"]) == LogMarker.providerMessageID { line.takeSpeaker() }
        line.attempt = text(entry["UTUNCTL_ATTEMPT"])
        line.code = text(entry["UTUNCTL_CODE"])
        line.name = text(entry["UTUNCTL_NAME"])
        return Entry(line: line, cursor: text(entry["__CURSOR"]))
    }

    /// A field: text, or its bytes where the journal takes it for something else, or the first
    /// of several.
    private static func text(_ value: JSONValue?) -> String? {
        switch value {
        case .string(let text)?: return text
        case .array(let elements)?:
            if case .string(let first)? = elements.first { return first }
            let bytes = elements.compactMap { element -> UInt8? in
                if case .integer(let number) = element { UInt8(exactly: number) } else { nil }
            }
            return bytes.count == elements.count ? String(decoding: bytes, as: UTF8.self) : nil
        case .null?, .bool?, .integer?, .real?, .object?, nil: return nil
        }
    }
}

/// A journalctl that runs; it ends when this goes.
final class JournalProcess {
    /// What it prints.
    let output: FileDescriptor
    private let child: ChildProcess

    init(_ child: consuming ChildProcess, _ output: consuming FileDescriptor) {
        self.child = child
        self.output = output
    }

    deinit {
        child.signal(SIGTERM)
        _ = try? LineClient.wait(
            for: [(child.descriptor.raw, .readable)], until: .after(milliseconds: 1000))
        _ = try? child.reap()
    }
}
