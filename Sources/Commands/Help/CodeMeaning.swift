internal import TunnelModel

/// What a number or a word means with which the program answers: an exit status, or the code of
/// an error, of a disconnect or of a warning.
enum CodeMeaning {
    /// All words that have one.
    static var codes: [String] {
        DisconnectCode.allCases.map(\.rawValue) + TunnelWarning.Code.allCases.map(\.rawValue)
            + ErrorCodes.all
    }

    /// The explanation; several where one word is the code of several things.
    static func text(of word: String) -> String? {
        let parts = [status(word), disconnect(word), warning(word), error(word)].compactMap(\.self)
        guard !parts.isEmpty else { return nil }
        return parts.map { $0.joined(separator: "\n") }.joined(separator: "\n\n") + "\n"
    }

    private static func status(_ word: String) -> [String]? {
        guard let status = Int32(word).flatMap(ExitStatus.init(rawValue:)) else { return nil }
        let codes =
            [.tunnelFailed, .failedForGood].contains(status)
            ? "those of disconnects" : ErrorCodes.codes(of: status).joined(separator: " ")
        return ["An exit status:"] + columns([(word, status.meaning)])
            + (codes.isEmpty ? [] : ["", "Codes of its errors:"] + columns([("", codes)]))
    }

    private static func disconnect(_ word: String) -> [String]? {
        guard let code = DisconnectCode(rawValue: word) else { return nil }
        return ["Why a tunnel ended:"] + columns([(word, code.meaning)])
            + (code.hint.map { ["", "What there is to do:"] + columns([("", $0)]) } ?? [])
    }

    private static func warning(_ word: String) -> [String]? {
        guard let code = TunnelWarning.Code(rawValue: word) else { return nil }
        let head = code.degrades ? ", which makes a connected tunnel degraded" : ""
        return ["A warning of status\(head):"] + columns([(word, code.meaning)])
    }

    private static func error(_ word: String) -> [String]? {
        let statuses = ErrorCodes.statuses(of: word)
        guard !statuses.isEmpty else { return nil }
        return ["The code of an error, which says by itself what to do; its exit status:"]
            + columns(statuses.map { ("\($0.rawValue)", $0.meaning) })
    }
}
