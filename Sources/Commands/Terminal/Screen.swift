internal import Glibc
internal import LinuxSystem

/// A terminal's other screen, which leaves what was there as it was.
///
/// The terminal is as before when this goes, however the program comes to that.
final class Screen {
    private var keys: TerminalKeys?
    private var isShown = false

    /// What `read` has found: what was typed, or that nobody can type any more.
    enum Typed {
        case keys([UInt8])
        case gone
    }

    init() {}

    deinit {
        leave()
    }

    /// Whether keys can be read: standard input may be something else.
    var hasKeys: Bool { Terminal.isStandardInput }

    /// Goes there.
    func enter() throws(SystemError) {
        guard !isShown else { return }
        if hasKeys { keys = try TerminalKeys() }
        isShown = true
        // The other screen, no cursor, and no lines that go on in the next.
        try write("\u{1B}[?1049h\u{1B}[?25l\u{1B}[?7l\u{1B}[H\u{1B}[2J")
    }

    /// Comes back.
    func leave() {
        guard isShown else { return }
        isShown = false
        keys = nil
        // A terminal that is gone, or stuck, needs no mending.
        guard canTake else { return }
        try? write("\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l")
    }

    /// What was typed since.
    func read() -> Typed {
        guard let bytes = keys?.read() else { return .gone }
        return .keys(bytes)
    }

    /// Shows lines that are no wider than the screen, from its top on.
    func show(_ lines: [String]) throws(SystemError) {
        // Of a terminal that takes nothing for a while, the next picture is the one to show.
        guard canTake else { return }
        // Each line is cleared before it is written: behind a full line there is no place to
        // clear from. What is below goes at the end.
        let picture = lines.map { "\u{1B}[2K\($0)" }.joined(separator: "\r\n")
        try write("\u{1B}[H\(picture)\u{1B}[0m\(lines.isEmpty ? "" : "\r\n")\u{1B}[J")
    }

    private var canTake: Bool {
        let ready = try? LineClient.wait(
            for: [(STDOUT_FILENO, .writable)], until: .after(milliseconds: 0))
        return ready?.isEmpty == false
    }

    private func write(_ text: String) throws(SystemError) {
        try writeToStandard(STDOUT_FILENO, Array(text.utf8))
    }
}
