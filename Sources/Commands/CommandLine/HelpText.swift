/// Returns the help text of the program: its verbs and the options all of them understand.
package func helpText(
    summary: String,
    verbs: [VerbSyntax],
    topics: [String] = [],
    manPages: [String] = ["\(programName)(8)"]
) -> String {
    var lines = ["Usage: \(programName) [OPTION…] VERB [OPERAND…]", ""]
    lines += wrapped(summary, width: lineWidth)
    lines += ["", "Verbs:"]
    lines += columns(verbs.map { ($0.name, $0.summary) })
    lines += ["", "Options of every verb:"]
    lines += optionLines(Option.global)
    lines += ["", "`\(programName) help VERB` explains one verb."]
    if !topics.isEmpty {
        lines += wrapped("Topics of help: \(topics.joined(separator: ", "))", width: lineWidth)
    }
    if !manPages.isEmpty {
        lines += wrapped("Manual pages: \(manPages.joined(separator: ", "))", width: lineWidth)
    }
    return lines.joined(separator: "\n") + "\n"
}

/// Returns the help text of one verb.
package func helpText(for verb: VerbSyntax) -> String {
    var lines = ["Usage: \(verb.usage)", ""]
    lines += wrapped(verb.summary, width: lineWidth)
    for paragraph in verb.description {
        lines.append("")
        lines += wrapped(paragraph, width: lineWidth)
    }
    let own = optionLines(verb.options)
    if !own.isEmpty { lines += ["", "Options:"] + own }
    lines.append("")
    let global = Option.global.filter { !$0.isHidden }.map(\.usage).joined(separator: ", ")
    lines += wrapped("Options of every verb: \(global).", width: lineWidth)
    if !verb.examples.isEmpty { lines += ["", "Examples:"] }
    for example in verb.examples {
        lines.append("  \(example.command)")
        lines += wrapped(example.what, width: lineWidth - 6).map { "      \($0)" }
    }
    return lines.joined(separator: "\n") + "\n"
}

private let lineWidth = 80

private func optionLines(_ options: [Option]) -> [String] {
    let rows = options.filter { !$0.isHidden }.map { option in
        let short = option.short.map { "-\($0), " } ?? "    "
        let more = option.repeats && option.value != nil ? " (may be repeated)" : ""
        return (short + option.usage, option.summary + more)
    }
    return columns(rows)
}

/// Lays rows out in two columns; a wide left cell stands on a line of its own.
func columns(_ rows: [(left: String, right: String)]) -> [String] {
    let widest = 28
    let width = rows.map(\.left.count).filter { $0 <= widest }.max() ?? widest
    let margin = String(repeating: " ", count: 2 + width + 2)
    var lines: [String] = []
    for row in rows {
        var right = wrapped(row.right, width: lineWidth - margin.count)[...]
        let left = "  \(row.left)"
        if row.left.count <= width, let first = right.popFirst() {
            lines.append(left + margin.dropFirst(left.count) + first)
        } else {
            lines.append(left)
        }
        lines += right.map { margin + $0 }
    }
    return lines
}

/// Breaks a text at its spaces; a word wider than the line stays whole.
private func wrapped(_ text: String, width: Int) -> [String] {
    var lines: [String] = []
    var line = ""
    for word in text.split(separator: " ") {
        if !line.isEmpty, line.count + 1 + word.count > width {
            lines.append(line)
            line = ""
        }
        line += line.isEmpty ? String(word) : " \(word)"
    }
    if !line.isEmpty { lines.append(line) }
    return lines
}
