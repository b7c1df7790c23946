package import JSON

/// The resolver that the tunnel brings.
package struct DNSSettings: Equatable, Sendable {
    package var servers: [IPAddress] = []
    package var searchDomains: [String] = []
    /// The domains that the servers are asked for; none, or an empty one: all names.
    package var matchDomains: [String] = []
    package var tls = false

    /// More servers than any resolver asks.
    package static let mostServers = 16
    /// More domains than any tunnel has.
    package static let mostDomains = 256

    /// The defaults: no resolver.
    package init() {}

    init(_ node: JSONNode) throws(JSONError) {
        var reader = try JSONObjectReader(node)
        for (index, text) in try reader.strings("servers").enumerated() {
            guard let address = IPAddress(text) else {
                throw reader.mismatch("servers[\(index)]", "\(text) is not an IP address")
            }
            if address.isUnspecified || address.isMulticast {
                throw reader.mismatch("servers[\(index)]", "\(text) is no address of a server")
            }
            if !servers.contains(address) { servers.append(address) }
        }
        if servers.count > Self.mostServers {
            throw reader.mismatch("servers", "more than \(Self.mostServers)")
        }
        searchDomains = try Self.domains("searchDomains", &reader)
        matchDomains = try Self.domains("matchDomains", &reader)
        tls = try reader.bool("tls", default: false)
        try reader.finish()
    }

    private static func domains(_ key: String, _ reader: inout JSONObjectReader)
        throws(JSONError) -> [String]
    {
        let texts = try reader.strings(key)
        if texts.count > mostDomains { throw reader.mismatch(key, "more than \(mostDomains)") }
        var domains: [String] = []
        for (index, text) in texts.enumerated() {
            // Among the domains to match an empty one stands for all names.
            let problem = text.isEmpty && key == "matchDomains" ? nil : problem(ofDomain: text)
            if let problem { throw reader.mismatch("\(key)[\(index)]", problem) }
            if !domains.contains(text) { domains.append(text) }
        }
        return domains
    }

    /// What is wrong with a domain; `nil` where nothing is.
    ///
    /// What is written into files and handed to programs holds no other characters than these.
    package static func problem(ofDomain text: String) -> String? {
        let name = text.hasSuffix(".") ? text.dropLast() : text[...]
        let labels = name.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        let isName = labels.allSatisfy { label in
            (1...63).contains(label.count) && label.first != UInt8(ascii: "-")
                && label.allSatisfy { byte in
                    switch byte {
                    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x5F: true
                    default: false
                    }
                }
        }
        // No domain of the highest level is a number: it would be half an address.
        let isNumber = labels.last?.allSatisfy { (0x30...0x39).contains($0) } ?? false
        guard isName, !isNumber, name.utf8.count <= 253 else {
            return "not the name of a domain, such as example.org"
        }
        return nil
    }

    /// Whether the servers are asked for all names, and not for those of some domains alone.
    package var matchesEverything: Bool { matchDomains.isEmpty || matchDomains.contains("") }

    /// A key that means nothing without servers, where there are none.
    package var keyWithoutServers: String? {
        guard servers.isEmpty else { return nil }
        if !searchDomains.isEmpty { return "searchDomains" }
        if !matchDomains.isEmpty { return "matchDomains" }
        return tls ? "tls" : nil
    }

    /// A key that a resolv.conf(5) has no words for.
    package var keyBeyondFile: String? {
        if !matchesEverything { return "matchDomains" }
        return tls ? "tls" : nil
    }

    /// The settings on a host without IPv6; where there is no other server they stay as they are.
    package var withoutIPv6: DNSSettings {
        var settings = self
        settings.servers = servers.filter { $0.family == .v4 }
        return settings.servers.isEmpty ? self : settings
    }
}

extension DNSSettings: JSONEncodable {
    package func write(to writer: inout JSONWriter) {
        writer.object { writer in writeMembers(to: &writer) }
    }

    /// Writes the members alone, for objects that have more of them.
    func writeMembers(to writer: inout JSONWriter) {
        writer.member("servers", servers.map(\.description))
        writer.member("searchDomains", searchDomains)
        writer.member("matchDomains", matchDomains)
        writer.member("tls", tls)
    }
}
