package import TunnelModel

/// The network below all tunnels at one moment, as far as rules can ask for it.
package struct NetworkSnapshot: Equatable, Sendable {
    /// The link of the underlying default route.
    package struct Link: Equatable, Sendable {
        /// The sort of a link.
        package enum Kind: String, CaseIterable, Sendable {
            case ethernet, wifi, cellular, other
        }

        package var interface: String
        package var index: Int
        package var kind: Kind
        /// The next hops of its default routes, of both address families.
        package var gateways: [IPAddress]
        /// The name of the wireless network; `nil` where there is none, or none is known.
        package var ssid: String?

        package init(
            interface: String,
            index: Int,
            kind: Kind,
            gateways: [IPAddress] = [],
            ssid: String? = nil
        ) {
            self.interface = interface
            self.index = index
            self.kind = kind
            self.gateways = gateways
            self.ssid = ssid
        }
    }

    package var time: Timestamp
    /// `nil` where no default route leads off the host but through tunnels.
    package var underlying: Link?
    /// The name servers of the underlying network, never those of a tunnel.
    package var dnsServers: [IPAddress]
    /// The search domains of the underlying network, the default one first.
    package var searchDomains: [String]
    /// What came of the probes that were made, by their URLs.
    package var probes: [String: ProbeOutcome]

    package init(
        time: Timestamp,
        underlying: Link? = nil,
        dnsServers: [IPAddress] = [],
        searchDomains: [String] = [],
        probes: [String: ProbeOutcome] = [:]
    ) {
        self.time = time
        self.underlying = underlying
        self.dnsServers = dnsServers
        self.searchDomains = searchDomains
        self.probes = probes
    }

    /// Takes from a former snapshot what could not be read now, where the link is still the same: a
    /// resolver that does not answer for a moment is no other network.
    package mutating func fillGaps(from former: NetworkSnapshot) {
        guard let own = underlying, let other = former.underlying,
            own.index == other.index, own.gateways == other.gateways
        else { return }
        if dnsServers.isEmpty { dnsServers = former.dnsServers }
        if searchDomains.isEmpty { searchDomains = former.searchDomains }
        if own.ssid == nil { underlying = other }
    }

    /// Whether this is the same network as the other, whenever each was seen and whatever the
    /// probes said.
    package func isSameNetwork(as other: NetworkSnapshot) -> Bool {
        underlying == other.underlying && dnsServers == other.dnsServers
            && searchDomains == other.searchDomains
    }
}

/// What came of a request to the URL of a probe.
package enum ProbeOutcome: Equatable, Sendable {
    /// The status of the HTTP answer.
    case status(Int)
    /// Why there was no answer.
    case failed(String)

    /// Whether the condition of a rule holds: 200, and no redirection.
    package var isSuccess: Bool { self == .status(200) }

    /// The outcome in a few words.
    package var text: String {
        switch self {
        case .status(let status): "HTTP \(status)"
        case .failed(let problem): problem
        }
    }
}
