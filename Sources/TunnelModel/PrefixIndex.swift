/// Networks to be looked up by the thousand: the time does not grow with their number.
struct PrefixIndex {
    private let networks: Set<IPPrefix>
    private let lengths: Set<Int>

    init(_ networks: [IPPrefix]) {
        self.networks = Set(networks)
        lengths = Set(networks.map(\.length))
    }

    /// Whether one of the networks has an address in common with this one.
    func overlaps(_ prefix: IPPrefix) -> Bool {
        holds(prefix) || networks.contains { prefix.contains($0) }
    }

    /// Whether one of the networks is this one or a wider one that holds it.
    func holds(_ prefix: IPPrefix) -> Bool {
        networks.contains(prefix) || holdsWider(than: prefix)
    }

    /// Whether one of the networks is wider than this one and holds it.
    func holdsWider(than prefix: IPPrefix) -> Bool {
        lengths.contains { length in
            guard length < prefix.length,
                let wider = IPPrefix(address: prefix.address, length: length)
            else { return false }
            return networks.contains(wider.masked)
        }
    }
}
