package import JSON

/// The chains and rules of a firewall, as `nft --json list ruleset` prints them.
package struct Ruleset: Equatable, Sendable {
    /// A chain with its rules.
    package struct Chain: Equatable, Sendable {
        package let family: String
        package let table: String
        package let name: String
        /// Where the kernel calls it; `nil` for one that others jump to.
        package let hook: String?
        /// What becomes of packets that no rule decides about.
        let policy: String
        fileprivate(set) var rules: [Rule] = []

        /// The chain as people write it.
        package var text: String { "\(family) \(table) \(name)" }
    }

    struct Rule: Equatable, Sendable {
        let handle: Int64
        let statements: [JSONValue]
    }

    private struct Key: Hashable {
        let family: String
        let table: String
        let chain: String
    }

    private var positions: [Key: Int] = [:]
    /// All chains, in their order.
    package private(set) var chains: [Chain] = []

    /// Reads what nft printed; what it holds beside chains and rules is passed over.
    package init(_ node: JSONNode) throws(JSONError) {
        var reader = try JSONObjectReader(node)
        guard let list = reader.node("nftables") else {
            throw reader.mismatch("nftables", "missing")
        }
        for element in list.elements {
            guard case .object(let object) = element.value else { continue }
            if let chain = object["chain"]?.object { add(chain: chain) }
            if let rule = object["rule"]?.object { add(rule: rule) }
        }
    }

    private mutating func add(chain: JSONObject) {
        guard let key = Self.key(chain, "name") else { return }
        positions[key] = chains.count
        chains.append(
            Chain(
                family: key.family, table: key.table, name: key.chain, hook: chain["hook"]?.string,
                policy: chain["policy"]?.string ?? "accept"))
    }

    private mutating func add(rule: JSONObject) {
        guard let key = Self.key(rule, "chain"), let position = positions[key] else { return }
        var handle: Int64 = 0
        if case .integer(let number)? = rule["handle"] { handle = number }
        chains[position].rules.append(
            Rule(handle: handle, statements: rule["expr"]?.array ?? []))
    }

    private static func key(_ object: JSONObject, _ name: String) -> Key? {
        guard let family = object["family"]?.string, let table = object["table"]?.string,
            let chain = object[name]?.string
        else { return nil }
        return Key(family: family, table: table, chain: chain)
    }

    /// The chain of a name in the table of another one.
    func chain(_ name: String, beside chain: Chain) -> Chain? {
        positions[Key(family: chain.family, table: chain.table, chain: name)].map { chains[$0] }
    }

    /// The chains that the kernel calls at a hook for packets of a family.
    package func chains(at hook: String, ipv6: Bool) -> [Chain] {
        chains.filter {
            $0.hook == hook && ($0.family == "inet" || $0.family == (ipv6 ? "ip6" : "ip"))
        }
    }
}
