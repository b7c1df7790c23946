extension FirewallPlan {
    private static let families: [IPAddress.Family] = [.v4, .v6]

    /// The sets of the table, in the words of nft(8).
    var sets: [String] {
        guard isRunning else { return openSets }
        return Self.families.flatMap { family in
            [
                Self.set(
                    "endpoints", family, type: "inet_proto . \(Self.type(family)) . inet_service",
                    endpoints.compactMap { endpoint in
                        guard endpoint.address.family == family, let port = endpoint.port else {
                            return nil
                        }
                        return "\(endpoint.transport.rawValue) . \(endpoint.address) . \(port)"
                    }),
                Self.set(
                    "servers", family, type: "inet_proto . \(Self.type(family))",
                    endpoints.compactMap { endpoint in
                        guard endpoint.address.family == family, endpoint.port == nil else {
                            return nil
                        }
                        return "\(endpoint.transport.rawValue) . \(endpoint.address)"
                    }),
            ].compactMap(\.self)
        } + openSets
    }

    /// The networks beside the tunnel, which a kill switch leaves open.
    private var openSets: [String] {
        guard mode.blocks else { return [] }
        return Self.families.flatMap { family in
            [
                Self.networks("excluded", family, routing.excludedRoutes),
                Self.networks("local", family, localNetworks),
            ].compactMap(\.self)
        }
    }

    /// The chains of the table.
    package var chains: [FirewallChain] {
        var chains: [FirewallChain] = []
        if mode.blocks {
            chains += [outgoing, output, postrouting, input, forward]
        } else if !forwardingLinks.isEmpty {
            chains.append(forwardingBounds)
        }
        guard isRunning, link != 0 else { return chains }
        if !arrivals.rules.isEmpty { chains.append(arrivals) }
        if routing.masquerade { chains.append(masquerade) }
        if routing.mssClamp, mtu > 0 { chains.append(mssClamp) }
        return chains
    }

    /// What may leave this host, whichever way: everything else is dropped.
    private var outgoing: FirewallChain {
        let marked = "meta mark \(hexadecimal(sockets.mark))"
        var rules: [String] = []
        if isRunning {
            if link != 0 { rules.append("\(tunnel("o")) accept") }
            rules += endpointMatches("daddr", "dport").map {
                "\(marked) meta skuid \(sockets.provider) \($0) accept"
            }
            rules += resolverMatches("daddr", "dport").map {
                "\(marked) meta skuid \(sockets.resolver) \($0) accept"
            }
        }
        // Our own sockets go nowhere else, the open networks and this host included.
        rules += ["\(marked) drop", "oif \"lo\" accept", pauseRule]
        rules += neighbourhood(client: "sport", server: "dport")
        rules += open("daddr", "excluded")
        rules += dnsBarrier
        rules += open("daddr", "local")
        return FirewallChain("outgoing", rules)
    }

    private var output: FirewallChain {
        closed("output", hook: "type filter hook output priority filter;", ["jump outgoing"])
    }

    /// Once more behind address translation and whatever changes the route of a packet.
    private var postrouting: FirewallChain {
        closed("postrouting", hook: "type filter hook postrouting priority 300;", ["jump outgoing"])
    }

    private var input: FirewallChain {
        var rules = ["iif \"lo\" accept"]
        if isRunning {
            if link != 0 { rules.append("\(tunnel("i")) accept") }
            rules += endpointMatches("saddr", "sport").map { "\($0) accept" }
            rules += resolverMatches("saddr", "sport").map { "\($0) accept" }
            rules += pathErrors
        }
        rules.append(pauseRule)
        rules += neighbourhood(client: "dport", server: "sport")
        rules += open("saddr", "excluded") + open("saddr", "local")
        return closed("input", hook: "type filter hook input priority filter;", rules)
    }

    /// Packets of other hosts go by the tunnel, or from one open network to another.
    private var forward: FirewallChain {
        let runs = isRunning && link != 0
        var rules = runs ? ["\(tunnel("o")) accept"] : []
        rules += bounds
        rules.append(pauseRule)
        for place in ["excluded", "local"] {
            if place == "local" { rules += dnsBarrier }
            if runs { rules += open("daddr", place).map { "\(tunnel("i")) \($0)" } }
            for family in Self.families where !networks(place, family).isEmpty {
                let word = Self.word(family)
                for source in ["excluded", "local"] where !networks(source, family).isEmpty {
                    let sources = Self.setName(source, family)
                    let targets = Self.setName(place, family)
                    rules.append("\(word) saddr @\(sources) \(word) daddr @\(targets) accept")
                }
            }
        }
        return closed("forward", hook: "type filter hook forward priority filter;", rules)
    }

    /// Packets that come in: those to the tunnel's addresses only by the tunnel (CVE-2019-14899),
    /// and answers of endpoints and resolvers with the mark.
    ///
    /// As early as possible, so that filters of the reverse path see the mark.
    private var arrivals: FirewallChain {
        var rules: [String] = []
        for family in Self.families {
            let own = addresses.filter { $0.family == family }.map(\.description)
            guard !own.isEmpty else { continue }
            rules.append("\(Self.word(family)) daddr { \(own.joined(separator: ", ")) } drop")
        }
        if marksReplies {
            let answers =
                endpointMatches("saddr", "sport") + resolverMatches("saddr", "sport")
            rules += answers.map {
                "\($0) fib daddr type local meta mark set \(hexadecimal(sockets.mark))"
            }
        }
        guard !rules.isEmpty else { return FirewallChain("arrivals", []) }
        return FirewallChain(
            "arrivals", hook: "type filter hook prerouting priority raw; policy accept;",
            ["iif \"lo\" accept", "iif \(link) accept"] + rules)
    }

    /// Forwarded packets between the tunnel and another network take on the address of the
    /// interface that they leave by.
    private var masquerade: FirewallChain {
        FirewallChain(
            "translation", hook: "type nat hook postrouting priority srcnat; policy accept;",
            [
                "iif \(link) oif != \(link) masquerade",
                "oif \(link) fib saddr type != local masquerade",
            ])
    }

    /// Connections of other hosts announce no larger segments than go through the tunnel.
    private var mssClamp: FirewallChain {
        // The headers of IP and TCP without options.
        let rules = Self.families.flatMap { family in
            ["iif", "oif"].map { side in
                let size = mtu - (family == .v4 ? 40 : 60)
                return "\(side) \(link) meta nfproto ip\(family == .v4 ? "v4" : "v6")"
                    + " tcp flags & (syn | rst) == syn tcp option maxseg size set \(size)"
            }
        }
        return FirewallChain(
            "segments", hook: "type filter hook forward priority mangle; policy accept;", rules)
    }

    private var forwardingBounds: FirewallChain {
        FirewallChain(
            "bounds", hook: "type filter hook forward priority filter; policy accept;", bounds)
    }
}

// MARK: - The parts of rules

extension FirewallPlan {
    /// A base chain that drops whatever no rule lets through.
    ///
    /// The last rule says so as well: while a table takes the place of another, the kernel has the
    /// new rules in force some moments before the policy of the new chain.
    private func closed(_ name: String, hook: String, _ rules: [String]) -> FirewallChain {
        FirewallChain(name, hook: "\(hook) policy drop;", rules + ["drop"])
    }

    /// The tunnel's interface as the side `i` or `o` of a packet.
    ///
    /// The block outlives it, and a link that comes from another namespace may bring its index.
    private func tunnel(_ side: String) -> String {
        "\(side)if \(link) meta \(side)ifkind \"tun\""
    }

    /// Links that forward because of the tunnel do so to and from it alone.
    private var bounds: [String] {
        Self.families.compactMap { family in
            let links = forwardingLinks[family].sorted().map(String.init)
            guard !links.isEmpty else { return nil }
            return "meta nfproto ip\(family == .v4 ? "v4" : "v6")"
                + " iif { \(links.joined(separator: ", ")) } oif != \(link) drop"
        }
    }

    private var pauseRule: String { "meta nfproto @\(Self.pauseSet) accept" }

    /// What a host needs to have an address and neighbours at all: DHCP, and router and neighbour
    /// discovery, which comes from the link itself where its hop limit is 255.
    private func neighbourhood(client: String, server: String) -> [String] {
        [
            "meta nfproto ipv4 udp \(client) 68 udp \(server) 67 accept",
            "meta nfproto ipv6 udp \(client) 546 udp \(server) 547 accept",
            "icmpv6 type 133-136 ip6 hoplimit 255 accept",
        ]
    }

    /// Names are asked for in the tunnel, whoever on the local networks would answer.
    private var dnsBarrier: [String] {
        localNetworks.isEmpty ? [] : ["meta l4proto { tcp, udp } th dport { 53, 853 } drop"]
    }

    /// Matches for packets to or from the endpoints.
    private func endpointMatches(_ side: String, _ port: String) -> [String] {
        Self.families.flatMap { family -> [String] in
            let ours = endpoints.filter { $0.address.family == family }
            let word = Self.word(family)
            var matches: [String] = []
            if ours.contains(where: { $0.port != nil }) {
                let set = Self.setName("endpoints", family)
                matches.append("meta l4proto . \(word) \(side) . th \(port) @\(set)")
            }
            if ours.contains(where: { $0.port == nil }) {
                matches.append("meta l4proto . \(word) \(side) @\(Self.setName("servers", family))")
            }
            return matches
        }
    }

    private func resolverMatches(_ side: String, _ port: String) -> [String] {
        Self.families.compactMap { family in
            let ours = resolvers.filter { $0.family == family }.map(\.description)
            guard !ours.isEmpty else { return nil }
            return "\(Self.word(family)) \(side) { \(ours.joined(separator: ", ")) }"
                + " meta l4proto { tcp, udp } th \(port) 53"
        }
    }

    /// What tells that a packet to an endpoint was too large.
    ///
    /// Without it such packets would vanish, and nothing leaves by what is let in.
    private var pathErrors: [String] {
        Self.families.compactMap { family in
            // In network order, as the beginning of the packet that it is about holds them.
            let hosts = Set(endpoints.map(\.address).filter { $0.family == family })
                .map { hexadecimal($0.number) }.sorted()
            guard !hosts.isEmpty else { return nil }
            let list = "{ \(hosts.joined(separator: ", ")) }"
            return switch family {
            case .v4: "icmp type destination-unreachable icmp code 4 @th,192,32 \(list) accept"
            case .v6: "icmpv6 type packet-too-big @th,256,128 \(list) accept"
            }
        }
    }

    private func open(_ side: String, _ place: String) -> [String] {
        Self.families.compactMap { family in
            guard !networks(place, family).isEmpty else { return nil }
            return "\(Self.word(family)) \(side) @\(Self.setName(place, family)) accept"
        }
    }

    private func networks(_ place: String, _ family: IPAddress.Family) -> [IPPrefix] {
        (place == "local" ? localNetworks : routing.excludedRoutes)
            .filter { $0.family == family }
    }

    private static func networks(
        _ name: String,
        _ family: IPAddress.Family,
        _ networks: [IPPrefix]
    ) -> String? {
        set(
            name, family, type: "\(type(family)); flags interval; auto-merge",
            networks.filter { $0.family == family }.map { "\($0.masked)" })
    }

    private static func set(
        _ name: String,
        _ family: IPAddress.Family,
        type: String,
        _ elements: [String]
    ) -> String? {
        guard !elements.isEmpty else { return nil }
        let list = elements.sorted().joined(separator: ", ")
        return "set \(setName(name, family)) { type \(type); elements = { \(list) }; }"
    }

    private static func setName(_ name: String, _ family: IPAddress.Family) -> String {
        name + (family == .v4 ? "4" : "6")
    }

    private static func type(_ family: IPAddress.Family) -> String {
        family == .v4 ? "ipv4_addr" : "ipv6_addr"
    }

    private static func word(_ family: IPAddress.Family) -> String {
        family == .v4 ? "ip" : "ip6"
    }
}

private func hexadecimal(_ number: some BinaryInteger) -> String {
    "0x\(String(number, radix: 16))"
}
