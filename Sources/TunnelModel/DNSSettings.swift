package import JSON

/// The resolver that the tunnel brings.
package struct DNSSettings: Equatable, Sendable {
    package var servers: [IPAddress] = []
    package var searchDomains: [String] = []
    package var matchDomains: [String] = []
    package var tls = false

    /// The defaults: no resolver.
    package init() {}

    init(_ node: JSONNode) throws(JSONError) {
        var reader = try JSONObjectReader(node)
        for (index, text) in try reader.strings("servers").enumerated() {
            guard let address = IPAddress(text) else {
                throw reader.mismatch("servers[\(index)]", "\(text) is not an IP address")
            }
            servers.append(address)
        }
        searchDomains = try reader.strings("searchDomains")
        matchDomains = try reader.strings("matchDomains")
        tls = try reader.bool("tls", default: false)
        try reader.finish()
    }
}

extension DNSSettings: JSONEncodable {
    package func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("servers", servers.map(\.description))
            writer.member("searchDomains", searchDomains)
            writer.member("matchDomains", matchDomains)
            writer.member("tls", tls)
        }
    }
}
