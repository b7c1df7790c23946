internal import Glibc

/// What a terminal can show, as the environment tells it.
struct TerminalStyle: Equatable {
    /// The colours in use, each of which every terminal has.
    enum Color: Int {
        case red = 31
        case green = 32
        case yellow = 33
    }

    /// Whether it takes control sequences: to go to a place, or to clear a line.
    let isSteerable: Bool
    let isColored: Bool
    /// Whether it shows more than ASCII.
    let isUnicode: Bool

    /// Reads the variables that have a say: TERM, NO_COLOR (see no-color.org), and the locale.
    init(_ variable: (String) -> String?) {
        let term = variable("TERM") ?? ""
        isSteerable = !term.isEmpty && term != "dumb"
        isColored = isSteerable && (variable("NO_COLOR") ?? "").isEmpty
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"].lazy.compactMap(variable)
            .first { !$0.isEmpty }
        let charset = (locale ?? "").lowercased().split(separator: ".").last ?? ""
        isUnicode = charset.hasPrefix("utf-8") || charset.hasPrefix("utf8")
    }

    /// The style of this process.
    static var current: TerminalStyle {
        TerminalStyle { name in getenv(name).map { String(cString: $0) } }
    }

    /// What stands where something was cut off.
    var cutMark: String { isUnicode ? "…" : "~" }

    /// The text as the terminal can show it.
    func shown(_ text: String) -> String {
        let text = text.shownOnTerminal
        return isUnicode ? text : text.inASCII
    }

    /// The text in a colour.
    func painted(_ text: String, _ color: Color?) -> String {
        guard isColored, let color, !text.isEmpty else { return text }
        return "\u{1B}[\(color.rawValue)m\(text)\u{1B}[0m"
    }

    /// The text as a heading.
    func emphasized(_ text: String) -> String {
        isColored && !text.isEmpty ? "\u{1B}[1m\(text)\u{1B}[0m" : text
    }
}
