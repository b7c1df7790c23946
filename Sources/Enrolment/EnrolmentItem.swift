/// What becomes of one part of an enrolled file.
package struct EnrolmentItem: Equatable, Sendable {
    /// Whether it is in force afterwards.
    package enum Outcome: String, CaseIterable, Sendable {
        case kept, changed, dropped
        /// Nothing is lost, but something is worth knowing.
        case noted
    }

    /// Where it stands; `nil` in formats that are not read by lines.
    package let line: Int?
    /// The key, as its manual spells it; in formats without lines, the path to it.
    package let key: String
    package let outcome: Outcome
    /// Where it went, or why it did not; it never holds a text of the file.
    package let text: String

    package init(line: Int? = nil, key: String, outcome: Outcome, text: String) {
        self.line = line
        self.key = key
        self.outcome = outcome
        self.text = text
    }

    /// Key and place, as a message names them.
    package var place: String { line.map { "line \($0): \(key)" } ?? key }
}
