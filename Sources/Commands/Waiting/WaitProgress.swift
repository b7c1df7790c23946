internal import Glibc
internal import LinuxSystem
internal import TunnelModel

/// Says during a wait what is waited for: on a terminal in one line that is rewritten, elsewhere
/// in a line for each change.
///
/// All of it goes to standard error, and nothing with --quiet.
final class WaitProgress {
    /// How long something has to be so before a line of its own tells it.
    private static let settledMilliseconds: Int64 = 200

    private let output: Output
    private let name: String
    private let goal: String
    private let deadline: Deadline
    private let rewritesLines: Bool
    private let quietUntil: Deadline
    private var told: (status: TunnelStatus, reason: String?)?
    /// When what is new is to be told, if it is still so.
    private var settled: Deadline?
    private var isLineShown = false

    /// A progress that has nothing to say yet.
    ///
    /// `known` is the status that nobody has to be told; nothing is said in the first
    /// `silentMilliseconds`.
    init(
        _ output: Output,
        name: String,
        goal: String,
        until deadline: Deadline,
        known: TunnelStatus? = nil,
        silentMilliseconds: Int64 = 0
    ) {
        self.output = output
        self.name = name
        self.goal = goal
        self.deadline = deadline
        rewritesLines =
            !output.isQuiet && Terminal.isStandardError && TerminalStyle.current.isSteerable
        quietUntil = .after(milliseconds: silentMilliseconds)
        told = known.map { ($0, nil) }
    }

    deinit { end() }

    /// When it next has something to say without any event.
    var nextLook: Deadline {
        guard rewritesLines else { return settled ?? .never }
        guard quietUntil.hasPassed else { return quietUntil }
        let left = Int64(deadline.remainingMilliseconds)
        return .after(milliseconds: left > 0 ? (left - 1) % 1000 + 1 : 1000)
    }

    /// Says what is so now.
    func tell(_ status: TunnelStatus, _ reason: String?) {
        let isNews = told.map { $0.status != status || $0.reason != reason } ?? true
        told = (status, reason)
        guard !rewritesLines else {
            if quietUntil.hasPassed { rewrite(status, reason) }
            return
        }
        // What passes at once, or is on its way to an end that is told anyway, is only noise.
        if isNews { settled = .after(milliseconds: Self.settledMilliseconds) }
        guard settled?.hasPassed == true else { return }
        settled = nil
        if status != .disconnecting {
            output.note("\(name): \(Self.text(status, reason)), \(goal)")
        }
    }

    /// Takes the line away.
    func end() {
        guard isLineShown else { return }
        isLineShown = false
        write("\r\u{1B}[K")
    }

    private func rewrite(_ status: TunnelStatus, _ reason: String?) {
        isLineShown = true
        let left = Int64(deadline.remainingMilliseconds)
        let line = Self.line(
            "\(name): \(Self.text(status, reason)), \(goal)",
            secondsLeft: left < 0 ? nil : (left + 999) / 1000,
            columns: TerminalSize.ofStandardError?.columns ?? 80,
            cutMark: TerminalStyle.current.cutMark)
        write("\r\(line)\u{1B}[K")
    }

    private func write(_ text: String) {
        try? writeToStandard(STDERR_FILENO, Array(text.utf8))
    }

    private static func text(_ status: TunnelStatus, _ reason: String?) -> String {
        reason.map { "\(status.rawValue) (\($0))" } ?? status.rawValue
    }

    /// The line as it fits into a terminal; the time that is left is never cut off.
    static func line(_ text: String, secondsLeft: Int64?, columns: Int, cutMark: String)
        -> String
    {
        let end = secondsLeft.map { ", \($0) s left" } ?? ""
        // The last column would make some terminals go on to the next line.
        let room = max(columns - 1 - end.count, 0)
        let shown = text.escapingControls
        let head = shown.count <= room ? shown : "\(shown.prefix(max(room - 1, 0)))\(cutMark)"
        return String("\(head)\(end)".prefix(max(columns - 1, 0)))
    }
}
