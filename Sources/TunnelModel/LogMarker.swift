/// The line in a log file with which a session begins, so that its lines can be told from others'.
package enum LogMarker {
    /// Who says it, and nobody else may claim to be.
    package static let source = "utunctl"

    /// By which the journal finds what a provider said; its word stands before the text there.
    package static let providerMessageID = "20ab82c001604a589079e015c2a72776"

    private static let before = "attempt "
    private static let behind = " begins"

    /// The words for an attempt.
    package static func text(_ attempt: String, generation: UInt64) -> String {
        "\(before)\(attempt)\(behind), generation \(generation)"
    }

    /// The attempt that a text tells the beginning of; `nil` where it is anything else.
    package static func attempt(in text: String) -> String? {
        guard text.hasPrefix(before) else { return nil }
        let rest = text.dropFirst(before.count)
        let attempt = String(rest.prefix { $0 != " " })
        guard Identifier.isValid(attempt), rest.dropFirst(attempt.count).hasPrefix(behind) else {
            return nil
        }
        return attempt
    }
}
