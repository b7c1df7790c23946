internal import TunnelModel

/// Puts stand-ins in the place of everything that may say whose a text is.
///
/// Words that are known pass, and numbers that are not long; whatever else there may be in a text
/// is replaced, so that nothing has to be recognised as a secret to be left out.
struct Anonymiser {
    private(set) var standIns = StandIns()
    /// Numbers with more digits are replaced.
    private var mostDigits = usualDigits

    /// Enough for a port and a count; what is longer may be somebody's.
    private static let usualDigits = 5

    /// The text with nothing of anybody's in it, and no number of more digits than so many.
    mutating func text(_ text: String, mostDigits: Int) -> String {
        self.mostDigits = mostDigits
        defer { self.mostDigits = Self.usualDigits }
        return self.text(text)
    }

    /// The text with nothing of anybody's in it.
    mutating func text(_ text: String) -> String {
        let bytes = Array(text.utf8)
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        var position = 0
        while position < bytes.count {
            if let (end, standIn) = sought(in: bytes, at: position) {
                result += standIn.utf8
                position = end
            } else if Self.joins(bytes[position]) {
                var end = position
                while end < bytes.count, Self.joins(bytes[end]) { end += 1 }
                result += run(String(decoding: bytes[position..<end], as: UTF8.self)).utf8
                position = end
            } else {
                let byte = bytes[position]
                result.append(byte < 0x20 && byte != 0x0A && byte != 0x09 ? 0x3F : byte)
                position += 1
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// Has a value replaced wherever it stands, and answers its stand-in.
    mutating func whole(_ value: String, _ kind: StandIns.Kind) -> String {
        if value.isEmpty { return value }
        if let address = address(value) { return address }
        standIns.seek(value, kind)
        return standIns.standIn(for: value, kind)
    }

    /// The stand-in of a value that is looked for nowhere else.
    mutating func standIn(_ value: String, _ kind: StandIns.Kind) -> String {
        standIns.standIn(for: value, kind)
    }

    /// A value of its own that is looked for, where one begins here and ends as a word does.
    private func sought(in bytes: [UInt8], at position: Int) -> (end: Int, standIn: String)? {
        guard let values = standIns.byFirstByte[bytes[position]] else { return nil }
        if position > 0, Self.isLetterOrDigit(bytes[position - 1]) { return nil }
        for value in values {
            let length = value.utf8.count
            guard position + length <= bytes.count,
                bytes[position..<position + length].elementsEqual(value.utf8)
            else { continue }
            if position + length < bytes.count, Self.isLetterOrDigit(bytes[position + length]) {
                continue
            }
            return standIns.standIn(for: value).map { (position + length, $0) }
        }
        return nil
    }

    private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x80...0xFF: true
        default: false
        }
    }

    /// Whether a byte may be part of an address, a key, a path or a word.
    private static func joins(_ byte: UInt8) -> Bool {
        isLetterOrDigit(byte) || "_.:/-+=@%~".utf8.contains(byte)
    }

    // MARK: - What stands between spaces

    private mutating func run(_ text: String) -> String {
        if let found = unit(text) { return found }
        if text.isEmpty { return text }
        // The end of a sentence or of a clause belongs to no word.
        if let last = text.last, ".:,-/=@%~+".contains(last) {
            return run(String(text.dropLast())) + String(last)
        }
        if text.first == "-" { return "-" + run(String(text.dropFirst())) }
        if let found = addressBehind(text) { return found }
        for separator in ["/", "=", "@", "%", "~", "+", ":"] as [Character]
        where text.contains(separator) {
            return text.split(separator: separator, omittingEmptySubsequences: false)
                .map { run(String($0)) }.joined(separator: String(separator))
        }
        return joined(text)
    }

    /// Something of which no part is looked at by itself; `nil` for anything else.
    private mutating func unit(_ text: String) -> String? {
        if let standIn = standIns.standIn(for: text) { return standIn }
        if let address = address(text) { return address }
        if Shape.isMAC(text) {
            let isNobodys = text.allSatisfy { "0:".contains($0) || "f:".contains($0) }
            return isNobodys ? text : standIns.standIn(for: text.lowercased(), .mac)
        }
        if Identifier.isValid(text.lowercased()) {
            return standIns.standIn(for: text.lowercased(), .identifier)
        }
        if Shape.isTime(text) { return text }
        if Shape.isKey(text) { return standIns.standIn(for: text, .key) }
        if Shape.isPlainNumber(text, mostDigits: mostDigits) { return text }
        if KnownWords.holds(text) || KnownWords.isUsualInterface(text) { return text }
        return nil
    }

    /// The stand-in of an address, a network, or an address with a port.
    private mutating func address(_ text: String) -> String? {
        if let prefix = IPPrefix(text) {
            guard let slash = text.lastIndex(of: "/") else { return address(prefix.address, 128) }
            return address(prefix.address, prefix.length) + text[slash...]
        }
        if let slash = text.lastIndex(of: "/"), let alone = IPAddress(String(text[..<slash])) {
            return address(alone, 128) + text[slash...].prefix(4)
        }
        let colons = text.filter { $0 == ":" }.count
        guard let colon = text.lastIndex(of: ":") else { return nil }
        let host = String(text[..<colon])
        let port = text[text.index(after: colon)...]
        guard port.allSatisfy(\.isNumber), port.count <= 5 else { return nil }
        if colons == 1, let found = IPAddress(host) { return "\(address(found, 128)):\(port)" }
        if host.hasPrefix("["), host.hasSuffix("]"),
            let found = IPAddress(String(host.dropFirst().dropLast()))
        {
            return "[\(address(found, 128))]:\(port)"
        }
        return nil
    }

    private mutating func address(_ address: IPAddress, _ length: Int) -> String {
        if WellKnown.holds(address, length) { return address.description }
        return standIns.standIn(for: address.description, address.family == .v4 ? .ip4 : .ip6)
    }

    /// A range of addresses, an address with a zone, or one with a word and a colon before it.
    private mutating func addressBehind(_ text: String) -> String? {
        for separator in ["-", "%"] as [Character] {
            guard let place = text.firstIndex(of: separator),
                let first = address(String(text[..<place]))
            else { continue }
            return first + String(separator) + run(String(text[text.index(after: place)...]))
        }
        let colons = text.indices.filter { text[$0] == ":" || text[$0] == "=" }
        for colon in colons {
            guard let rest = address(String(text[text.index(after: colon)...])) else { continue }
            return run(String(text[..<colon])) + String(text[colon]) + rest
        }
        // What looks like the pieces of one is told as a whole, or it would be put together again.
        let pieces = text.split(separator: ":", omittingEmptySubsequences: false)
        guard pieces.count > 2, pieces.allSatisfy({ $0.allSatisfy(\.isHexDigit) }) else {
            return nil
        }
        return standIns.standIn(for: text, .word)
    }

    // MARK: - Words that are joined

    private mutating func joined(_ text: String) -> String {
        let labels = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        if labels.count > 1 {
            guard KnownWords.joinsByDots(labels) else {
                return standIns.standIn(for: text, .host)
            }
            return labels.map { label in unit(label) ?? hyphenated(label) }.joined(separator: ".")
        }
        return hyphenated(text)
    }

    private mutating func hyphenated(_ text: String) -> String {
        for separator in ["-", "_"] as [Character] where text.contains(separator) {
            // The table of a tunnel, and what is called after one.
            if separator == "-", text.hasPrefix("utunctl-") {
                let rest = String(text.dropFirst("utunctl-".count))
                return "utunctl-" + (unit(rest) ?? hyphenated(rest))
            }
            let parts = text.split(separator: separator, omittingEmptySubsequences: false)
            let words = parts.flatMap { $0.split(separator: "_") }.map { String($0) }
            if words.allSatisfy({ KnownWords.holds($0) || Shape.isPlainNumber($0, mostDigits: 4) })
            {
                return text
            }
        }
        if let found = unit(text) { return found }
        let isNumber = text.allSatisfy { $0.isNumber }
        return standIns.standIn(for: text, isNumber ? .number : .word)
    }
}

/// Addresses that every host has, and that say nothing of it.
private enum WellKnown {
    private static let networks = [
        "127.0.0.0/8", "::1/128", "224.0.0.0/4", "ff00::/8", "255.255.255.255/32",
    ].compactMap { IPPrefix($0) }
    private static let exactly = [
        "0.0.0.0/0", "::/0", "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "169.254.0.0/16",
        "fe80::/10", "fe80::/64", "fc00::/7",
    ].compactMap { IPPrefix($0) }

    static func holds(_ address: IPAddress, _ length: Int) -> Bool {
        if address.isUnspecified { return true }
        if networks.contains(where: { $0.contains(address) }) { return true }
        return exactly.contains { $0.address == address && $0.length == length }
    }
}
