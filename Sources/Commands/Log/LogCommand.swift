internal import JSON
internal import LinuxSystem
internal import SessionHost
internal import TunnelModel

/// What is left of the logs of one tunnel.
final class LogCommand {
    /// Of which sessions.
    enum Choice: Equatable {
        case last, all
        case attempt(String)
    }

    let context: Context
    let target: TunnelTarget
    let choice: Choice
    let directory: SessionDirectory
    let journal: Journal?
    let file: LogFile
    private let count: UInt64?
    private var parser = LogFileParser()
    /// Why the file could not be read.
    private var fileForbidden: Failure?
    /// Whether everything of the session that was asked for is in one place.
    private var isOfOnePlace = false
    /// The last entry of the journal that was read.
    private(set) var cursor: String?

    init(_ context: Context) throws(Failure) {
        self.context = context
        do throws(UsageError) {
            count = try context.invocation.unsigned("lines", in: 0...UInt64(Int32.max))
        } catch {
            throw Failure(error)
        }
        choice = try Self.choice(context.invocation.value("attempt") ?? "last")
        target = try TunnelTargets(context).resolve(context.operand)
        directory = context.directory(of: target.identifier)
        journal = Journal(context.layout, identifier: target.identifier)
        file = LogFile(directory.logPath)
    }

    func run() throws(Failure) -> ExitStatus {
        let lines = try backlog(isLast: true)
        try print(lines)
        try tellForbidden(lines, isFollowing: false)
        guard lines.isEmpty, count != 0 else { return .done }
        if case .attempt(let attempt) = choice {
            throw Failure(
                .failure, "noSuchAttempt", "nothing is left of the attempt \(attempt); \(places)",
                hint: "utunctl log --attempt all \(target.name)")
        }
        context.output.note("nothing was logged, or nothing is left of it; \(places)")
        return .done
    }

    /// What is there already, in the order of time, of the sessions asked for.
    func backlog(isLast: Bool) throws(Failure) -> [LogLine] {
        let inFile = parse(try readFile(isLast: isLast))
        let attempt = try chosenAttempt(inFile)
        if choice == .last, attempt == nil {
            // A file without any beginning, of an older host, is one session's.
            return limited(inFile)
        }
        let found = try journal?.lines(attempt: attempt, last: count)
        cursor = found?.cursor
        let ofFile = attempt.map { attempt in inFile.filter { $0.attempt == attempt } } ?? inFile
        return limited(Self.merge(ofFile, found?.lines ?? []))
    }

    /// Lines of the file that have come since.
    func news() throws(Failure) -> [LogLine] {
        parse(try readFile(isLast: false)).filter { line in
            guard case .attempt(let attempt) = choice else { return true }
            return line.attempt == attempt
        }
    }

    /// Tells what this user may not read, where it may be what was asked for.
    func tellForbidden(_ lines: [LogLine], isFollowing: Bool) throws(Failure) {
        let forbidden = [fileForbidden, journal?.forbidden].compactMap(\.self)
        guard let first = forbidden.first else { return }
        let isAll = forbidden.count == 2 || (fileForbidden != nil && journal == nil)
        if lines.isEmpty, count != 0 || isFollowing, isAll || !isFollowing { throw first }
        // What was found is all of it: a session writes to one place.
        if isOfOnePlace, !isFollowing { return }
        for failure in forbidden {
            context.output.note("\(failure.text): " + (failure.hint ?? ""))
        }
    }

    /// The lines of the file; none where this user may not read it, which is remembered.
    private func readFile(isLast: Bool) throws(Failure) -> [String] {
        do throws(Failure) {
            return try file.lines(isLast: isLast)
        } catch {
            guard error.code == LogFile.forbiddenCode else { throw error }
            fileForbidden = error
            return []
        }
    }

    /// Prints lines as they are.
    func print(_ lines: [LogLine]) throws(Failure) {
        guard !lines.isEmpty else { return }
        if context.output.isJSON {
            try context.output.print(lines.flatMap { JSONWriter.line($0) })
        } else {
            try context.output.answer(text: lines.map(\.line).joined(separator: "\n"))
        }
    }

    /// Both in the order of time; what has none stays behind the line that it followed.
    static func merge(_ first: [LogLine], _ second: [LogLine]) -> [LogLine] {
        var merged: [LogLine] = []
        merged.reserveCapacity(first.count + second.count)
        var rest = second[...]
        for line in first {
            if let time = line.time {
                while let next = rest.first, let other = next.time, other < time {
                    merged.append(next)
                    rest = rest.dropFirst()
                }
            }
            merged.append(line)
        }
        return merged + rest
    }

    private static func choice(_ word: String) throws(Failure) -> Choice {
        switch word {
        case "last": return .last
        case "all": return .all
        case _ where Identifier.isValid(word): return .attempt(word)
        default:
            throw Failure(
                UsageError(
                    "--attempt \(word.shownInMessage) is no attempt",
                    hint: "last, all, or an identifier as status --json has it"))
        }
    }

    private func chosenAttempt(_ inFile: [LogLine]) throws(Failure) -> String? {
        switch choice {
        case .all: return nil
        case .attempt(let attempt):
            isOfOnePlace = true
            return attempt
        case .last:
            if let attempt = directory.record()?.attempt {
                isOfOnePlace = true
                return attempt
            }
            if let attempt = parser.attempt { return attempt }
            // After a reboot nothing but the journal knows of any.
            guard inFile.isEmpty else { return nil }
            return try journal?.lines(attempt: nil, last: 1).lines.last?.attempt
        }
    }

    private func limited(_ lines: [LogLine]) -> [LogLine] {
        count.map { lines.suffix(Int($0)) } ?? lines
    }

    private func parse(_ lines: [String]) -> [LogLine] {
        lines.map { parser.line($0) }
    }

    /// Where was looked.
    private var places: String {
        let journal =
            journal == nil
            ? "there is no journalctl here"
            : "the journal has no entry with UTUNCTL_IDENTIFIER=\(target.identifier)"
        return "looked at \(directory.logPath), and \(journal)"
    }
}
