package import JSON

extension OnDemandRule {
    /// The most bytes in the name of a wireless network (IEEE 802.11).
    package static let longestSSID = 32
    private static let longestURL = 2048

    /// A key whose value no network could meet, or which cannot be put into force, and what is
    /// wrong with it.
    ///
    /// What is looked for is refused when it is saved, not when it is read: what an earlier version
    /// saved stays readable.
    package var fault: (key: String, problem: String)? {
        if action == .evaluateConnection {
            return (
                "action",
                "evaluateConnection decides by the names of hosts, for which there is no hook in"
                    + " the resolver: use connect, disconnect or ignore"
            )
        }
        if when == .traffic, action != .connect {
            return ("when", "traffic goes with the action connect alone")
        }
        for (index, name) in ssid.enumerated() {
            let isTooLong = name.utf8.count > Self.longestSSID
            guard name.isEmpty || isTooLong else { continue }
            let problem = isTooLong ? "longer than \(Self.longestSSID) bytes" : "empty"
            return ("ssid[\(index)]", problem)
        }
        return faultOfDomains ?? faultOfAddresses("dnsServerAddress", dnsServerAddress)
            ?? faultOfAddresses("gatewayAddress", gatewayAddress) ?? faultOfProbe
    }

    private var faultOfDomains: (key: String, problem: String)? {
        for (index, text) in dnsSearchDomain.enumerated()
        where SearchDomainPattern(text, matching) == nil {
            let problem =
                matching == .exact && SearchDomainPattern(text, .profile) != nil
                ? "a wildcard needs \"matching\": \"profile\""
                : "not a domain, such as example.org"
                    + (matching == .profile ? " or *.example.org" : "")
            return ("dnsSearchDomain[\(index)]", problem)
        }
        return nil
    }

    private func faultOfAddresses(_ key: String, _ texts: [String])
        -> (key: String, problem: String)?
    {
        for (index, text) in texts.enumerated() where AddressPattern(text, matching) == nil {
            let problem =
                matching == .exact && AddressPattern(text, .profile) != nil
                ? "a wildcard needs \"matching\": \"profile\""
                : "not an IP address" + (matching == .profile ? ", nor one such as 17.*" : "")
            return ("\(key)[\(index)]", problem)
        }
        return nil
    }

    private var faultOfProbe: (key: String, problem: String)? {
        guard let probeURL else { return nil }
        if probeURL.utf8.count > Self.longestURL {
            return ("probeURL", "longer than \(Self.longestURL) bytes")
        }
        return ProbeURL.problem(of: probeURL).map { ("probeURL", $0) }
    }

    /// Whether every network meets its conditions.
    package var matchesEverywhere: Bool {
        (interfaceType ?? .any) == .any && ssid.isEmpty && dnsSearchDomain.isEmpty
            && dnsServerAddress.isEmpty && gatewayAddress.isEmpty && probeURL == nil
    }
}

extension Configuration {
    /// What is wrong with a value that can be read: of the provider's own keys, or of On Demand.
    package var valueError: JSONError? { providerConfigurationError ?? onDemandError }

    /// What is wrong with the rules of On Demand.
    package var onDemandError: JSONError? {
        for (index, rule) in onDemand.rules.enumerated() {
            let place = "onDemand.rules[\(index)]"
            if let (key, problem) = rule.fault {
                return .value(path: "\(place).\(key)", problem: problem)
            }
            guard rule.when == .traffic, settingsWithoutProvider == nil else { continue }
            return .value(
                path: "\(place).when",
                problem: "traffic needs addresses that are known before the provider runs:"
                    + " providerConfiguration.addresses of a provider of utunctl")
        }
        return nil
    }

    /// What is worth saying of the rules of On Demand.
    var onDemandNotices: [ConfigurationNotice] {
        if onDemand.enabled, onDemand.rules.isEmpty {
            return [
                ConfigurationNotice(
                    path: "onDemand.rules", code: "rulesMissing",
                    text: "On Demand is enabled without any rule, and does nothing")
            ]
        }
        guard let last = onDemand.rules.firstIndex(where: \.matchesEverywhere) else { return [] }
        return onDemand.rules.indices.dropFirst(last + 1).map { index in
            ConfigurationNotice(
                path: "onDemand.rules[\(index)]", code: "ruleUnreachable",
                text: "never looked at, as rule \(last + 1) matches every network")
        }
    }
}
