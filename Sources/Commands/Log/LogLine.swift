internal import JSON
internal import TunnelModel

/// One line of what session hosts said, or their providers.
struct LogLine: Equatable {
    /// Where it was kept.
    enum Place: String {
        /// The file of detached hosts in the runtime directory.
        case file
        /// The journal, for hosts that the service manager runs.
        case journal
    }

    let place: Place
    /// `nil` of what was not written by a host itself, such as the last words of a crash.
    var time: Timestamp?
    /// Who said it: `utunctl`, or of a provider its level or `provider`.
    var source: String?
    /// The session that it belongs to; `nil` where nobody noted that.
    var attempt: String?
    /// The code of what it tells of, where it has one.
    var code: String?
    /// The name of the configuration then.
    var name: String?
    var text: String

    /// The line for people, as the file has it.
    var line: String {
        guard let time else { return text.shownOnTerminal }
        let origin = source.map { "\($0)\(name.map { "[\($0)]" } ?? ""): " } ?? ""
        return "\(time.text) \(origin)\(text)".shownOnTerminal
    }
}

extension LogLine {
    /// Takes `SPEAKER: TEXT` apart, as the journal has what a provider said.
    mutating func takeSpeaker() {
        let bytes = Array(text.utf8)
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")), colon + 1 < bytes.count,
            bytes[colon + 1] == UInt8(ascii: " ")
        else { return }
        source = String(decoding: bytes[..<colon], as: UTF8.self)
        text = String(decoding: bytes[(colon + 2)...], as: UTF8.self)
    }
}

extension LogLine: JSONEncodable {
    func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("time", time)
            writer.member("attempt", attempt)
            writer.member("source", source)
            writer.member("code", code)
            writer.member("text", text)
            writer.member("from", place.rawValue)
        }
    }
}

/// Reads the lines of a log file, each of which belongs to the session that began before it.
struct LogFileParser {
    /// The session that the next line belongs to.
    private(set) var attempt: String?

    /// One line without its end.
    mutating func line(_ text: String) -> LogLine {
        var line = LogLine(place: .file, text: text)
        if let space = text.utf8.firstIndex(of: UInt8(ascii: " ")),
            let time = Timestamp(String(text[..<space]))
        {
            line.time = time
            line.text = String(text[text.utf8.index(after: space)...])
            Self.takeOrigin(of: &line)
        }
        if line.source == LogMarker.source, let found = LogMarker.attempt(in: line.text) {
            attempt = found
        }
        line.attempt = attempt
        return line
    }

    /// Takes `SOURCE[NAME]: TEXT` apart.
    private static func takeOrigin(of line: inout LogLine) {
        let bytes = Array(line.text.utf8)
        guard let open = bytes.firstIndex(of: UInt8(ascii: "[")),
            let close = bytes[open...].firstIndex(of: UInt8(ascii: "]")), close + 2 < bytes.count,
            bytes[close + 1] == UInt8(ascii: ":"), bytes[close + 2] == UInt8(ascii: " ")
        else { return }
        line.source = String(decoding: bytes[..<open], as: UTF8.self)
        line.name = String(decoding: bytes[(open + 1)..<close], as: UTF8.self)
        line.text = String(decoding: bytes[(close + 3)...], as: UTF8.self)
    }
}
