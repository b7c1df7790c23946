package import TunnelModel

/// What keeps a file from being one of wg-quick(8).
///
/// No case holds a text of the file, which may be a secret that stands in the wrong place.
package enum QuickFileError: Error, Equatable, Sendable {
    case tooLarge
    /// Two bytes a character, as some editors write it.
    case utf16
    case nul(line: Int)
    case notUTF8(line: Int)
    case unknownSection(line: Int)
    case noAssignment(line: Int)
    case outsideSection(line: Int)
    case unknownKey(line: Int, section: QuickKey.Section, nearest: String?)
    case wrongSection(line: Int, key: QuickKey, belongsTo: QuickKey.Section)
    /// A semicolon begins no comment here.
    case semicolon(line: Int)
    case repeated(line: Int, key: QuickKey, earlier: Int)
    case value(line: Int, key: QuickKey, problem: String)
    /// `line` is that of the section.
    case missing(line: Int, section: QuickKey.Section, key: QuickKey)
    case noInterface
    /// Two peers are one.
    case samePeer(line: Int, earlier: Int)
    case tooManyPeers(line: Int)
    /// A network that belongs to another peer already.
    case sameNetwork(line: Int, IPPrefix, earlier: Int, hadHostBits: Bool)

    /// The line, where it is about one.
    package var line: Int? {
        switch self {
        case .tooLarge, .utf16, .noInterface: nil
        case .nul(let line), .notUTF8(let line), .unknownSection(let line),
            .noAssignment(let line), .outsideSection(let line), .semicolon(let line),
            .unknownKey(let line, _, _), .wrongSection(let line, _, _), .repeated(let line, _, _),
            .value(let line, _, _), .missing(let line, _, _), .samePeer(let line, _),
            .tooManyPeers(let line), .sameNetwork(let line, _, _, _):
            line
        }
    }

    /// What is wrong, on one line, with its place.
    package var text: String {
        line.map { "line \($0): \(problem)" } ?? problem
    }

    /// What to do about it.
    package var hint: String? {
        switch self {
        case .utf16, .notUTF8: "save it as UTF-8"
        case .unknownSection: "the sections are [Interface] and [Peer]"
        case .outsideSection, .noInterface:
            "enroll takes files of wg-quick, which begin with [Interface], profiles of utunctl"
                + " (JSON), and configuration profiles of Apple (.mobileconfig)"
        case .unknownKey(_, _, let nearest): nearest.map { "did you mean \($0)?" }
        case .semicolon: "comments begin with #"
        case .missing(_, _, .privateKey):
            "a command that would set it is never run: write the key itself there"
        case .sameNetwork(_, _, _, true):
            "host bits do not count: a single address is a /32 or /128"
        case .tooLarge, .nul, .noAssignment, .wrongSection, .repeated, .value, .missing,
            .samePeer, .tooManyPeers, .sameNetwork:
            nil
        }
    }

    private var problem: String {
        switch self {
        case .tooLarge: "more than \(QuickFile.largest >> 20) MiB: not a file of wg-quick"
        case .utf16: "the text is UTF-16, not UTF-8"
        case .nul: "a NUL byte"
        case .notUTF8: "bytes that are not UTF-8"
        case .unknownSection: "unknown section"
        case .noAssignment: "neither [SECTION] nor KEY = VALUE"
        case .outsideSection: "something stands before any section: not a file of wg-quick"
        case .unknownKey(_, let section, _): "unknown key in [\(section.rawValue)]"
        case .wrongSection(_, let key, let section):
            "\(key.rawValue) belongs into [\(section.rawValue)]"
        case .semicolon: "a semicolon does not begin a comment"
        case .repeated(_, let key, let earlier): "\(key.rawValue) stands in line \(earlier) already"
        case .value(_, let key, let problem): "\(key.rawValue): \(problem)"
        case .missing(_, let section, let key):
            "this [\(section.rawValue)] has no \(key.rawValue)"
        case .noInterface: "there is no [Interface]"
        case .samePeer(_, let earlier): "PublicKey: the same key as in line \(earlier)"
        case .tooManyPeers: "more than \(EnrolledMaterial.mostPeers) peers"
        case .sameNetwork(_, let prefix, let earlier, _):
            "AllowedIPs: \(prefix) belongs to the peer of line \(earlier) already"
        }
    }
}
