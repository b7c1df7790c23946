package import JSON

/// When a tunnel comes and goes by itself.
package struct OnDemandSettings: Equatable, Sendable {
    package var enabled = false
    package var rules: [OnDemandRule] = []

    /// The defaults: never.
    package init() {}

    init(_ node: JSONNode) throws(JSONError) {
        var reader = try JSONObjectReader(node)
        enabled = try reader.bool("enabled", default: false)
        for element in try reader.elements("rules") ?? [] {
            rules.append(try OnDemandRule(element))
        }
        try reader.finish()
    }
}

extension OnDemandSettings: JSONEncodable {
    package func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("enabled", enabled)
            writer.member("rules", rules)
        }
    }
}

/// One rule of On Demand: what to do where all its conditions match.
package struct OnDemandRule: Equatable, Sendable {
    /// What a rule does.
    package enum Action: String, CaseIterable, Sendable {
        case connect, disconnect, ignore, evaluateConnection
    }

    /// The kind of the interface of the underlying default route.
    package enum InterfaceType: String, CaseIterable, Sendable {
        case any, ethernet, wifi, cellular
    }

    /// When a connect rule starts the provider.
    package enum Moment: String, CaseIterable, Sendable {
        case now, traffic
    }

    /// How the conditions on names and addresses are compared.
    package enum Matching: String, CaseIterable, Sendable {
        /// As NetworkExtension's programming interface does: values that are equal.
        case exact
        /// As the keys of a configuration profile do: with wildcards, and any of several.
        case profile
    }

    package var action: Action
    package var matching = Matching.exact
    package var interfaceType: InterfaceType?
    package var ssid: [String] = []
    package var dnsSearchDomain: [String] = []
    package var dnsServerAddress: [String] = []
    package var gatewayAddress: [String] = []
    package var probeURL: String?
    package var when = Moment.now

    /// A rule that matches everywhere.
    package init(_ action: Action) {
        self.action = action
    }

    init(_ node: JSONNode) throws(JSONError) {
        var reader = try JSONObjectReader(node)
        action = try reader.choice("action", default: nil)
        matching = try reader.choice("matching", default: .exact)
        interfaceType = try reader.optionalChoice("interfaceType")
        ssid = try reader.strings("ssid")
        dnsSearchDomain = try reader.strings("dnsSearchDomain")
        dnsServerAddress = try reader.strings("dnsServerAddress")
        gatewayAddress = try reader.strings("gatewayAddress")
        probeURL = try reader.optionalString("probeURL")
        when = try reader.choice("when", default: .now)
        try reader.finish()
    }
}

extension OnDemandRule: JSONEncodable {
    package func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("action", action.rawValue)
            writer.member("matching", matching.rawValue)
            writer.member("interfaceType", interfaceType?.rawValue)
            writer.member("ssid", ssid)
            writer.member("dnsSearchDomain", dnsSearchDomain)
            writer.member("dnsServerAddress", dnsServerAddress)
            writer.member("gatewayAddress", gatewayAddress)
            writer.member("probeURL", probeURL)
            writer.member("when", when.rawValue)
        }
    }
}
