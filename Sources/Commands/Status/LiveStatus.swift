internal import Glibc
internal import LinuxSystem
internal import SessionHost
internal import TunnelModel

/// The status of tunnels as a picture that is always new, for as long as somebody looks at it.
///
/// Each second counts, as the rates are of the last one; and whatever tells of a change is shown
/// at once.
final class LiveStatus {
    private static let interval: Int64 = 1000

    private let context: Context
    private let style: TerminalStyle
    private let loop: EventLoop
    private let changes: StatusChanges
    private let signals: SignalDescriptor
    private let screen = Screen()
    private var rates = TransferRates()
    private var pending: EventLoop.Timer?
    private var isChanged = false
    private var hasBegun = false
    private var end: Result<ExitStatus, Failure>?

    init(_ context: Context, _ style: TerminalStyle) throws(Failure) {
        self.context = context
        self.style = style
        do throws(SystemError) {
            loop = try EventLoop()
            signals = try SignalDescriptor([
                SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGWINCH,
            ])
        } catch {
            throw Failure(error)
        }
        changes = try StatusChanges(context.layout)
    }

    func run() throws(Failure) -> ExitStatus {
        // What is wrong with the command itself is said where it can be read afterwards.
        let first = try lines()
        hasBegun = true
        defer { screen.leave() }
        do throws(SystemError) {
            try screen.enter()
            try screen.show(first)
            try changes.report(on: loop) { [weak self] in self?.changed() }
            try loop.add(signals.descriptor.raw) { [weak self] _ in self?.readSignals() }
            if screen.hasKeys {
                try loop.add(STDIN_FILENO) { [weak self] _ in self?.readKeys() }
            }
            schedule(milliseconds: Self.interval)
            try loop.run()
        } catch {
            throw Failure(error)
        }
        return try end?.get() ?? .done
    }

    /// Whether a live view is possible and wanted.
    static func isPossible(_ context: Context, _ style: TerminalStyle) -> Bool {
        !context.output.isJSON && !context.output.isQuiet && style.isSteerable
            && Terminal.isStandardOutput
    }

    // MARK: The picture

    private func lines() throws(Failure) -> [String] {
        let size = TerminalSize.ofStandardOutput ?? TerminalSize(columns: 80, rows: 24)
        let selection = try StatusSelection(context, .asked(by: context))
        let (subjects, unknown) = try selection.subjects()
        // A tunnel that was named when the view began may be removed, and saved again.
        if let unknown, !hasBegun { throw unknown }
        let reports = selection.reader.read(subjects)
        let moment = Clock.bootNanoseconds
        var table = StatusTable(style: style, width: size.columns)
        table.rates = [:]
        for report in reports {
            table.rates?[report.identifier] = rates.rate(of: report, at: moment)
        }
        let now = Timestamp.now
        var head = ["\(programName)  q quits  \(now.text.prefix(19))Z"]
        for failure in [selection.failure, unknown].compactMap(\.self) {
            head.append(style.shown(failure.text))
        }
        head = head.map { $0.cut(to: size.columns, mark: style.cutMark) }
        let body =
            reports.isEmpty && selection.failure == nil
            ? ["nothing is saved, and nothing runs".cut(to: size.columns, mark: style.cutMark)]
            : table.lines(reports, now: now)
        return Self.fitted(head + body, to: size, style)
    }

    /// No more lines than the screen has, the last of which says how many are missing.
    static func fitted(_ lines: [String], to size: TerminalSize, _ style: TerminalStyle)
        -> [String]
    {
        guard lines.count > size.rows else { return lines }
        let kept = max(0, size.rows - 1)
        let rest = "\(lines.count - kept) more".cut(to: size.columns, mark: style.cutMark)
        return lines.prefix(kept) + [rest]
    }

    // MARK: What happens

    // Several things tell of one change; a moment later it is read once.
    private func changed() {
        guard !isChanged else { return }
        isChanged = true
        schedule(milliseconds: 20)
    }

    private func schedule(milliseconds: Int64) {
        loop.cancel(pending)
        pending = loop.schedule(milliseconds: milliseconds) { [weak self] in self?.refresh() }
    }

    private func refresh() {
        isChanged = false
        do throws(Failure) {
            let picture: [String]
            do throws(SystemError) { try changes.watchDirectories() } catch { throw Failure(error) }
            picture = try lines()
            do throws(SystemError) { try screen.show(picture) } catch { throw Failure(error) }
            schedule(milliseconds: Self.interval)
        } catch {
            finish(.failure(error))
        }
    }

    private func readKeys() {
        switch screen.read() {
        case .gone: finish(.success(.done))
        case .keys(let bytes):
            // The end of input, which is what a terminal reports that has hung up.
            if bytes.isEmpty { return finish(.success(.terminated)) }
            if bytes.contains(where: { $0 == UInt8(ascii: "q") || $0 == UInt8(ascii: "Q") }) {
                finish(.success(.done))
            }
        }
    }

    private func readSignals() {
        while let signal = try? signals.next() {
            switch signal {
            case SIGWINCH: changed()
            case SIGTSTP: pause()
            case SIGTERM, SIGHUP: return finish(.success(.terminated))
            default: return finish(.success(.interrupted))
            }
        }
    }

    /// Stops as ^Z has it, with the terminal as it was, until somebody lets it go on.
    private func pause() {
        screen.leave()
        kill(getpid(), SIGSTOP)
        do throws(SystemError) { try screen.enter() } catch { finish(.failure(Failure(error))) }
        changed()
    }

    private func finish(_ result: Result<ExitStatus, Failure>) {
        if end == nil { end = result }
        loop.stop()
    }
}
