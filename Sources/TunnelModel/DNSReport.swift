package import JSON

/// The resolver of a running tunnel, as its status shows it.
package struct DNSReport: Equatable, Sendable {
    /// Who asks the servers of the tunnel.
    package enum Backend: String, CaseIterable, Sendable {
        /// systemd-resolved, for the link of the tunnel.
        case resolved
        /// Each program by itself, as resolv.conf(5) says.
        case file
    }

    /// `nil` where the tunnel brings no resolver.
    package var backend: Backend?
    package var settings = DNSSettings()
    /// Whether what was set was found in force when it was last looked at.
    package var isVerified = false

    /// No resolver.
    package init() {}

    package init(_ backend: Backend, _ settings: DNSSettings, isVerified: Bool) {
        self.backend = backend
        self.settings = settings
        self.isVerified = isVerified
    }
}

extension DNSReport: JSONEncodable {
    package func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("backend", backend?.rawValue)
            settings.writeMembers(to: &writer)
            writer.member("verified", backend == nil ? nil : isVerified)
        }
    }

    init(_ node: JSONNode) throws(JSONError) {
        var reader = try JSONObjectReader(node)
        if let text = try reader.optionalString("backend") {
            guard let backend = Backend(rawValue: text) else {
                throw reader.mismatch("backend", "unknown")
            }
            self.backend = backend
            isVerified = try reader.bool("verified")
        }
        for text in try reader.strings("servers") {
            if let address = IPAddress(text) { settings.servers.append(address) }
        }
        settings.searchDomains = try reader.strings("searchDomains")
        settings.matchDomains = try reader.strings("matchDomains")
        settings.tls = try reader.bool("tls", default: false)
    }
}
