/// The format of hosts(5): an address and its names on each line.
package enum HostsFile {
    /// The longest file that is read.
    package static let longest = 32 << 20

    /// The addresses of those of the names that the file knows, in its order.
    ///
    /// Names compare without regard to case and to a final dot; a name may stand on several
    /// lines, with addresses of both families. Lines that do not begin with an address are
    /// skipped, as are addresses with a zone.
    package static func addresses(of names: [String], in text: [UInt8]) -> [String: [IPAddress]] {
        let asked = Dictionary(grouping: names) { canonical($0.utf8) }
        var found: [String: [IPAddress]] = [:]
        for line in text.split(whereSeparator: { $0 == UInt8(ascii: "\n") }) {
            let content = line.prefix { $0 != UInt8(ascii: "#") }
            let fields = content.split { $0 == 0x20 || (0x09...0x0D).contains($0) }
            guard let first = fields.first else { continue }
            let matches = fields.dropFirst().compactMap { asked[canonical($0)] }
            guard !matches.isEmpty,
                let address = IPAddress(String(decoding: first, as: UTF8.self))
            else { continue }
            for name in matches.joined() { found[name, default: []].append(address) }
        }
        return found
    }

    private static func canonical(_ name: some BidirectionalCollection<UInt8>) -> [UInt8] {
        var canonical = name.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
        if canonical.count > 1, canonical.last == UInt8(ascii: ".") { canonical.removeLast() }
        return canonical
    }
}
