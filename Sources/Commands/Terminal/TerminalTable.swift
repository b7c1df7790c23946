/// A table that keeps within the width of a terminal.
struct TerminalTable {
    /// A column: what it is called, and how much it matters.
    struct Column {
        let title: String
        /// Where there is too little room, the column with the highest number goes first; one
        /// with 0 stays.
        let rank: Int
        /// Down to how many columns of the terminal its cells may be cut; `nil` for those that
        /// are worth nothing unless they are whole.
        var leastWidth: Int?
        /// Whether its cells are numbers, which end at the same place.
        var isNumber = false
    }

    /// One cell.
    struct Cell {
        var text: String
        var color: TerminalStyle.Color?

        init(_ text: String, _ color: TerminalStyle.Color? = nil) {
            self.text = text
            self.color = color
        }
    }

    private static let gap = 2

    let columns: [Column]
    let rows: [[Cell]]

    /// The lines of the table, the headings first; none is wider than `width`.
    func lines(width: Int, _ style: TerminalStyle) -> [String] {
        let cells = rows.map { $0.map { Cell(style.shown($0.text), $0.color) } }
        let natural = columns.indices.map { index in
            cells.reduce(columns[index].title.displayWidth) {
                max($0, $1[index].text.displayWidth)
            }
        }
        // A column in which nothing stands says nothing.
        var shown = columns.indices.filter { index in
            rows.isEmpty || rows.contains { !$0[index].text.isEmpty }
        }
        while shown.count > 1, least(shown, natural) > width {
            guard let worst = shown.max(by: { columns[$0].rank < columns[$1].rank }),
                columns[worst].rank > 0
            else { break }
            shown.removeAll { $0 == worst }
        }
        let widths = fitted(shown, natural, to: width)
        let head = columns.map { Cell($0.title) }
        return ([head] + cells).enumerated().map { number, row in
            line(row, shown, widths, width, style, isHead: number == 0)
        }
    }

    private func least(_ shown: [Int], _ natural: [Int]) -> Int {
        shown.reduce(Self.gap * (shown.count - 1)) { sum, index in
            sum + min(natural[index], columns[index].leastWidth ?? natural[index])
        }
    }

    /// The natural widths, with those that may be cut the narrower, the one with the most to
    /// spare first.
    private func fitted(_ shown: [Int], _ natural: [Int], to width: Int) -> [Int: Int] {
        var widths = Dictionary(uniqueKeysWithValues: shown.map { ($0, natural[$0]) })
        var excess =
            widths.values.reduce(Self.gap * (shown.count - 1), +) - width
        let spare = shown.reversed().map { index in
            (index: index, width: natural[index] - (columns[index].leastWidth ?? natural[index]))
        }
        for (index, width) in spare.sorted(by: { $0.width > $1.width }) where excess > 0 {
            let taken = min(excess, max(0, width))
            widths[index] = natural[index] - taken
            excess -= taken
        }
        return widths
    }

    private func line(
        _ row: [Cell],
        _ shown: [Int],
        _ widths: [Int: Int],
        _ width: Int,
        _ style: TerminalStyle,
        isHead: Bool
    ) -> String {
        // Nothing follows the last cell that is not empty, no blanks either.
        let last = shown.last { !row[$0].text.isEmpty } ?? 0
        var line = ""
        var used = 0
        for index in shown where index <= last {
            if used > 0 {
                line += String(repeating: " ", count: min(Self.gap, max(0, width - used)))
                used += Self.gap
            }
            let room = min(widths[index] ?? 0, width - used)
            guard room > 0 else { break }
            let text = row[index].text.cut(to: room, mark: style.cutMark)
            let blanks = String(repeating: " ", count: max(0, room - text.displayWidth))
            let seen = isHead ? style.emphasized(text) : style.painted(text, row[index].color)
            let padded = columns[index].isNumber ? blanks + seen : seen + blanks
            line += index == last && !columns[index].isNumber ? seen : padded
            used += room
        }
        return line
    }
}
