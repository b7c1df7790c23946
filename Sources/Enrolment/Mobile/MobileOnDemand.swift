internal import PropertyLists
internal import TunnelModel

/// What a VPN payload says of when the tunnel comes and goes by itself.
struct MobileOnDemand {
    private let isArmed: Bool
    private var isEnabled: Bool?
    private var rules: [OnDemandRule]?
    private var idleTimeout: UInt32?

    /// Unless it `isArmed`, the tunnel waits to be started, whatever the file says.
    init(isArmed: Bool) {
        self.isArmed = isArmed
    }

    /// Reads the keys of the dictionary VPN that are about it.
    mutating func read(_ vpn: inout MobileDictionary, _ report: inout MobileReport)
        throws(MobileProfileError)
    {
        isEnabled = try vpn.flag("OnDemandEnabled")
        let waits = isEnabled == true && !isArmed
        report.tell(
            waits ? .changed : .kept, "OnDemandEnabled", of: vpn,
            waits ? "off until --arm says so, or onDemand.enabled" : "onDemand.enabled")
        if vpn.contains("OnDemandRules") {
            var taken: [OnDemandRule] = []
            for var rule in try vpn.dictionaries("OnDemandRules") {
                if let rule = try Self.rule(&rule, &report) { taken.append(rule) }
            }
            rules = taken
            report.tell(.kept, "OnDemandRules", of: vpn, "onDemand.rules")
        }
        try readIdle(of: &vpn, &report)
        report.tell(
            .dropped, each: ["OnDemandUserOverrideDisabled"], of: &vpn,
            "whoever is root may stop a tunnel")
        report.tell(
            .dropped,
            each: [
                "OnDemandMatchDomainsAlways", "OnDemandMatchDomainsOnRetry",
                "OnDemandMatchDomainsNever",
            ], of: &vpn, "OnDemandRules are in their place since iOS 7")
    }

    private mutating func readIdle(of vpn: inout MobileDictionary, _ report: inout MobileReport)
        throws(MobileProfileError)
    {
        let ends = try vpn.flag("DisconnectOnIdle") ?? false
        let seconds = try vpn.integer("DisconnectOnIdleTimer")
        let place = vpn.place(of: "DisconnectOnIdleTimer")
        guard ends, let seconds else {
            report.tell(
                ends ? .dropped : .kept, "DisconnectOnIdle", of: vpn,
                ends ? "DisconnectOnIdleTimer is missing" : "idleTimeout")
            return report.tell(
                .noted, "DisconnectOnIdleTimer", of: vpn, "DisconnectOnIdle is off")
        }
        guard let timeout = UInt32(exactly: seconds), (1...31_536_000).contains(timeout) else {
            throw .value(place, problem: "not a number of seconds from 1 to 31536000")
        }
        let waits = "off until --arm says so, or idleTimeout \(timeout)"
        for key in ["DisconnectOnIdle", "DisconnectOnIdleTimer"] {
            report.tell(isArmed ? .kept : .changed, key, of: vpn, isArmed ? "idleTimeout" : waits)
        }
        if isArmed { idleTimeout = timeout }
    }

    // MARK: Rules

    /// One rule; `nil` where it has a condition that cannot be held, as it would match too much
    /// without it.
    private static func rule(_ node: inout MobileDictionary, _ report: inout MobileReport)
        throws(MobileProfileError) -> OnDemandRule?
    {
        let action: OnDemandRule.Action
        switch try node.requiredString("Action") {
        case "Connect": action = .connect
        case "Disconnect": action = .disconnect
        case "Ignore": action = .ignore
        case "EvaluateConnection":
            // It stays in its place, or later rules would match where it did.
            action = .ignore
            report.tell(
                .changed, "Action", of: node,
                "connections are not evaluated by host name: nothing is done on these networks")
        default:
            throw .value(
                node.place(of: "Action"),
                problem: "neither Connect, Disconnect, Ignore nor EvaluateConnection")
        }
        var rule = OnDemandRule(action)
        rule.matching = .profile
        rule.interfaceType = try interfaceType(&node)
        rule.ssid = try node.strings("SSIDMatch")
        rule.dnsSearchDomain = try node.strings("DNSDomainMatch")
        rule.dnsServerAddress = try node.strings("DNSServerAddressMatch")
        rule.probeURL = try node.string("URLStringProbe")
        report.tell(
            .dropped, each: ["ActionParameters"], of: &node,
            "a rule is for all names: there are none of single domains")
        try check(rule, of: node)
        guard let unknown = node.unknown.first else { return rule }
        report.tell(
            .dropped, at: MobilePlace(path: node.place.path, line: unknown.node.line),
            "the whole rule, for a condition that is not known here")
        report.dropUnknown(of: node)
        return nil
    }

    private static func check(_ rule: OnDemandRule, of node: MobileDictionary)
        throws(MobileProfileError)
    {
        // Without its values the rule would match every network instead of none.
        let conditions = [
            ("SSIDMatch", rule.ssid), ("DNSDomainMatch", rule.dnsSearchDomain),
            ("DNSServerAddressMatch", rule.dnsServerAddress),
        ]
        for (key, values) in conditions where node.contains(key) && values.isEmpty {
            throw .value(node.place(of: key), problem: "empty: no network would match")
        }
        guard let (key, problem) = rule.fault else { return }
        let names = [
            "ssid": "SSIDMatch", "dnsSearchDomain": "DNSDomainMatch",
            "dnsServerAddress": "DNSServerAddressMatch", "probeURL": "URLStringProbe",
        ]
        let name = String(key.prefix { $0 != "[" })
        throw .value(node.place(of: names[name] ?? name), problem: problem)
    }

    private static func interfaceType(_ node: inout MobileDictionary) throws(MobileProfileError)
        -> OnDemandRule.InterfaceType?
    {
        switch try node.string("InterfaceTypeMatch") {
        case nil: return nil
        case "Ethernet": return .ethernet
        case "WiFi": return .wifi
        case "Cellular": return .cellular
        default:
            throw .value(
                node.place(of: "InterfaceTypeMatch"),
                problem: "neither Ethernet nor WiFi nor Cellular")
        }
    }

    /// Puts what was said into a configuration, and leaves alone what was not.
    func put(into configuration: inout Configuration) {
        if let rules { configuration.onDemand.rules = rules }
        if rules != nil || isEnabled != nil {
            configuration.onDemand.enabled = isArmed && isEnabled == true
        }
        if let idleTimeout { configuration.idleTimeout = idleTimeout }
    }
}
