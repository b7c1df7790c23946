/// What stands for names, addresses and keys: the same value has the same one in a whole file.
struct StandIns {
    /// What something is; the stand-in begins with it.
    enum Kind: String, CaseIterable {
        case name, title, host, user, network, text, key, word, number, identifier, ip4, ip6, mac
    }

    private var known: [String: String] = [:]
    private var counts: [Kind: Int] = [:]
    /// Values that are looked for in running text, by their first byte, the longest first.
    private(set) var byFirstByte: [UInt8: [String]] = [:]

    /// The stand-in of a value, made where it has none yet; nothing stands in for nothing.
    mutating func standIn(for value: String, _ kind: Kind) -> String {
        // It would be found beside every sign that is no word's.
        if value.isEmpty { return value }
        if let standIn = known[value] { return standIn }
        counts[kind, default: 0] += 1
        let standIn = "\(kind.rawValue)-\(counts[kind] ?? 0)"
        known[value] = standIn
        return standIn
    }

    /// The stand-in that a value has already.
    func standIn(for value: String) -> String? { known[value] }

    /// Has a value found in running text as well, of as many words as it may be.
    mutating func seek(_ value: String, _ kind: Kind) {
        guard let first = value.utf8.first, standIn(for: value) == nil else { return }
        _ = standIn(for: value, kind)
        var values = byFirstByte[first, default: []]
        let place = values.firstIndex { $0.utf8.count < value.utf8.count } ?? values.endIndex
        values.insert(value, at: place)
        byFirstByte[first] = values
    }
}
