/// The content of a resolv.conf(5): one of ours, which holds within it what it stands for, or
/// one of somebody else.
///
/// One of ours begins so, and everything in it can be undone with nothing but itself:
///
///     # utunctl:IDENTIFIER NAME
///     # The lines that begin with #| were here before, and are put back by: utunctl stop NAME
///     # former: 1 lines
///     #|nameserver 192.0.2.53
package struct ResolverFile: Equatable, Sendable {
    /// A file that is larger is none that people write.
    package static let largest = 1 << 16
    /// More servers are read by no program (MAXNS).
    package static let mostServers = 3

    private static let former = "# former: "
    private static let quote = "#|"

    /// What stood there before us.
    package enum Former: Equatable, Sendable {
        /// There was no file.
        case nothing
        case content([UInt8])
        /// Somebody has changed the lines that would say so.
        case lost
    }

    /// The mark of the tunnel that wrote it; `nil` for a file of somebody else.
    package let mark: String?
    /// The name of that tunnel.
    package let name: String
    /// What is to be there without any tunnel.
    package let former: Former

    /// Looks whose a file is.
    package init(_ bytes: [UInt8]) {
        let lines = bytes.split(separator: 0x0A, omittingEmptySubsequences: false)
        let first = Self.text(lines[0])
        let words = first.split(separator: " ", maxSplits: 2)
        guard first.hasPrefix("# utunctl:"), words.count >= 2 else {
            mark = nil
            name = ""
            former = .content(bytes)
            return
        }
        mark = String(words[1])
        name = words.count > 2 ? String(words[2]) : ""
        former = Self.former(in: lines)
    }

    private static func former(in lines: [ArraySlice<UInt8>]) -> Former {
        guard let start = lines.firstIndex(where: { text($0).hasPrefix(former) }) else {
            return .lost
        }
        let words = text(lines[start]).dropFirst(former.count).split(separator: " ")
        if words == ["none"] { return .nothing }
        guard let count = words.first.flatMap({ Int($0) }), count >= 0 else { return .lost }
        let quoted = lines[(start + 1)...].prefix { $0.starts(with: quote.utf8) }
        guard quoted.count == count else { return .lost }
        let content = quoted.map { $0.dropFirst(quote.utf8.count) }.joined(separator: [0x0A])
        // What the last line lacks is said; without a line there is nothing to end.
        let isOpen = words.contains("unfinished") || count == 0
        return .content(Array(content) + (isOpen ? [] : [0x0A]))
    }

    private static func text(_ line: ArraySlice<UInt8>) -> String {
        String(decoding: line.prefix(512), as: UTF8.self)
    }

    /// The content for a tunnel in the place of `former`.
    ///
    /// The options that were there stay, except that nobody vouches for what these servers say
    /// of DNSSEC, and an order of addresses was that of another network.
    package static func compose(
        _ settings: DNSSettings,
        mark: String,
        name: String,
        former: Former
    ) -> [UInt8] {
        var bytes = Array(
            """
            # \(mark) \(name)
            # The lines that begin with \(quote) were here before, and are put back by: \
            utunctl stop \(name)

            """.utf8)
        switch former {
        case .nothing, .lost: bytes += Array("\(self.former)none\n".utf8)
        case .content(let content): bytes += quoted(content)
        }
        bytes += settings.servers.prefix(mostServers).flatMap { Array("nameserver \($0)\n".utf8) }
        if !settings.searchDomains.isEmpty {
            bytes += Array("search \(settings.searchDomains.joined(separator: " "))\n".utf8)
        }
        if case .content(let content) = former {
            let kept = options(in: content)
            if !kept.isEmpty { bytes += Array("options \(kept.joined(separator: " "))\n".utf8) }
        }
        return bytes
    }

    private static func quoted(_ content: [UInt8]) -> [UInt8] {
        var lines = content.split(separator: 0x0A, omittingEmptySubsequences: false)
        let isOpen = lines.last?.isEmpty == false
        if !isOpen { lines.removeLast() }
        let head = "\(former)\(lines.count) lines\(isOpen ? ", unfinished" : "")\n"
        return Array(head.utf8) + lines.flatMap { Array(quote.utf8) + $0 + [0x0A] }
    }

    private static func options(in content: [UInt8]) -> [String] {
        var kept: [String] = []
        for words in lines(of: content) where words.first == "options" {
            for option in words.dropFirst() where option != "trust-ad" && !kept.contains(option) {
                guard option.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else { continue }
                kept.append(option)
            }
        }
        return kept
    }

    /// The servers that are asked where no tunnel is.
    package var formerServers: [IPAddress] {
        guard case .content(let content) = former else { return [] }
        return Self.servers(in: content)
    }

    /// The domains that are searched where no tunnel is.
    package var formerSearchDomains: [String] {
        guard case .content(let content) = former else { return [] }
        // Of several such lines the last counts.
        let line = Self.lines(of: content).last { ["search", "domain"].contains($0.first) }
        guard let line else { return [] }
        return Array(line.dropFirst().prefix(line[0] == "domain" ? 1 : Int.max))
    }

    /// The servers that a file names.
    package static func servers(in content: [UInt8]) -> [IPAddress] {
        lines(of: content).compactMap { words in
            guard words.count >= 2, words[0] == "nameserver" else { return nil }
            return IPAddress(words[1])
        }
    }

    private static func lines(of content: [UInt8]) -> [[String]] {
        String(decoding: content, as: UTF8.self).split(whereSeparator: \.isNewline).map { line in
            line.split(whereSeparator: \.isWhitespace).map(String.init)
        }
    }
}
