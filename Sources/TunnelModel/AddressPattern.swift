/// The addresses that one string of a rule of On Demand stands for.
package struct AddressPattern: Equatable, Sendable {
    /// The networks of which an address must be in one.
    private let networks: [IPPrefix]

    /// Reads an address; under the matching of profiles also `*`, or the first parts of an
    /// address with a wildcard behind them, such as `17.*` and `2001:db8:*`.
    package init?(_ text: String, _ matching: OnDemandRule.Matching) {
        if let address = IPAddress(text) {
            networks = [IPPrefix(host: address)]
            return
        }
        guard matching == .profile, text.utf8.last == UInt8(ascii: "*") else { return nil }
        let head = text.dropLast()
        guard !head.isEmpty else {
            networks = [.defaultV4, .defaultV6]
            return
        }
        guard let network = Self.network(head) else { return nil }
        networks = [network]
    }

    /// Whether the address is one of these.
    package func contains(_ address: IPAddress) -> Bool {
        networks.contains { $0.contains(address) }
    }

    /// The network of all addresses that begin with these parts, each with its separator.
    private static func network(_ head: Substring) -> IPPrefix? {
        let isV4 = head.last == "."
        guard isV4 || head.last == ":" else { return nil }
        let parts = head.dropLast().split(
            separator: isV4 ? "." : ":", omittingEmptySubsequences: false)
        let whole = isV4 ? 4 : 8
        guard parts.count < whole, !parts.contains("") else { return nil }
        let rest = Array(repeating: "0", count: whole - parts.count)
        let text = (parts.map(String.init) + rest).joined(separator: isV4 ? "." : ":")
        guard let address = IPAddress(text) else { return nil }
        return IPPrefix(address: address, length: parts.count * (isV4 ? 8 : 16))
    }
}

extension OnDemandRule {
    /// The strings of a condition as this rule compares them; none for one that is no address.
    package func addressPatterns(_ texts: [String]) -> [AddressPattern] {
        texts.compactMap { AddressPattern($0, matching) }
    }
}
