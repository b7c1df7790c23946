internal import TunnelModel

/// A network with its values written out once for many rules.
struct NetworkView {
    private let network: NetworkSnapshot
    private let link: NetworkSnapshot.Link
    private let servers: [String]
    private let gateways: [String]

    init(_ network: NetworkSnapshot, _ link: NetworkSnapshot.Link) {
        self.network = network
        self.link = link
        servers = network.dnsServers.map(\.description)
        gateways = link.gateways.map(\.description)
    }

    /// Looks at the conditions of a rule in turn, and at none after one that does not hold.
    func evaluate(_ rule: OnDemandRule) -> EvaluatedRule {
        var result = EvaluatedRule(rule)
        for index in result.conditions.indices {
            let name = result.conditions[index].name
            result.conditions[index].seen = seen(name, rule)
            result.conditions[index].matched = holds(name, of: rule)
            guard result.conditions[index].matched == true else {
                result.matched = result.conditions[index].matched
                return result
            }
        }
        result.matched = true
        return result
    }

    private func seen(_ name: EvaluatedCondition.Name, _ rule: OnDemandRule) -> [String] {
        switch name {
        case .interfaceType: [link.kind.rawValue]
        case .ssid: link.ssid.map { [$0] } ?? []
        case .dnsSearchDomain:
            rule.matching == .exact ? Array(network.searchDomains.prefix(1)) : network.searchDomains
        case .dnsServerAddress: servers
        case .gatewayAddress: gateways
        case .probeURL: rule.probeURL.flatMap { network.probes[$0] }.map { [$0.text] } ?? []
        }
    }

    private func holds(_ name: EvaluatedCondition.Name, of rule: OnDemandRule) -> Bool? {
        switch name {
        case .interfaceType:
            rule.interfaceType == .any || rule.interfaceType?.rawValue == link.kind.rawValue
        case .ssid:
            // Bytes, not text: equal letters in two ways of writing are two networks.
            link.ssid.map { ssid in rule.ssid.contains { $0.utf8.elementsEqual(ssid.utf8) } }
                ?? false
        case .dnsSearchDomain: holdsOfDomains(rule)
        case .dnsServerAddress: holdsOfServers(rule)
        case .gatewayAddress:
            rule.addressPatterns(rule.gatewayAddress).contains { pattern in
                link.gateways.contains(where: pattern.contains)
            }
        case .probeURL: rule.probeURL.flatMap { network.probes[$0] }?.isSuccess
        }
    }

    private func holdsOfDomains(_ rule: OnDemandRule) -> Bool {
        let patterns = rule.dnsSearchDomain.compactMap {
            SearchDomainPattern($0, rule.matching)
        }
        switch rule.matching {
        case .exact:
            guard let domain = network.searchDomains.first else { return false }
            return patterns.contains { $0.matches(domain) }
        case .profile:
            return network.searchDomains.contains { domain in
                patterns.contains { $0.matches(domain) }
            }
        }
    }

    private func holdsOfServers(_ rule: OnDemandRule) -> Bool {
        let patterns = rule.addressPatterns(rule.dnsServerAddress)
        let isListed = { (server: IPAddress) in patterns.contains { $0.contains(server) } }
        switch rule.matching {
        case .exact: return !network.dnsServers.isEmpty && network.dnsServers.allSatisfy(isListed)
        case .profile: return network.dnsServers.contains(where: isListed)
        }
    }
}

extension EvaluatedRule {
    /// A rule that was not looked at.
    init(_ rule: OnDemandRule) {
        action = rule.action
        when = rule.when
        matching = rule.matching
        conditions = []
        matched = nil
        for name in EvaluatedCondition.Name.allCases {
            let wanted: [String] =
                switch name {
                case .interfaceType: rule.interfaceType.map { [$0.rawValue] } ?? []
                case .ssid: rule.ssid
                case .dnsSearchDomain: rule.dnsSearchDomain
                case .dnsServerAddress: rule.dnsServerAddress
                case .gatewayAddress: rule.gatewayAddress
                case .probeURL: rule.probeURL.map { [$0] } ?? []
                }
            guard !wanted.isEmpty else { continue }
            conditions.append(EvaluatedCondition(name: name, wanted: wanted, seen: []))
        }
    }
}
