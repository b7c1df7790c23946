/// The search domains that one string of a rule of On Demand stands for.
package struct SearchDomainPattern: Equatable, Sendable {
    /// The domain, or with a wildcard what follows the `*`, in lower case.
    private let text: [UInt8]
    private let hasWildcard: Bool

    /// Reads a domain; under the matching of profiles also `*`, or `*.` before a domain.
    package init?(_ text: String, _ matching: OnDemandRule.Matching) {
        let folded = Self.folded(text)
        hasWildcard = folded.first == UInt8(ascii: "*")
        self.text = hasWildcard ? Array(folded.dropFirst()) : folded
        let domain = hasWildcard ? self.text.dropFirst() : self.text[...]
        if hasWildcard {
            guard matching == .profile, self.text.first ?? 0x2E == 0x2E, self.text != [0x2E] else {
                return nil
            }
            if self.text.isEmpty { return }
        }
        guard Self.isDomain(domain) else { return nil }
    }

    /// Whether the domain is one of these, without regard to case and a dot at its end.
    package func matches(_ domain: String) -> Bool {
        let folded = Self.folded(domain)
        guard hasWildcard else { return folded == text }
        return folded.count > text.count && folded.suffix(text.count) == text[...]
    }

    private static func isDomain(_ domain: ArraySlice<UInt8>) -> Bool {
        let labels = domain.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return domain.count <= 253
            && labels.allSatisfy { label in
                (1...63).contains(label.count)
                    && label.allSatisfy { $0 > 0x20 && $0 != 0x7F && $0 != UInt8(ascii: "*") }
            }
    }

    private static func folded(_ text: String) -> [UInt8] {
        var bytes = text.utf8.map { byte in
            (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
        }
        if bytes.last == UInt8(ascii: ".") { bytes.removeLast() }
        return bytes
    }
}
