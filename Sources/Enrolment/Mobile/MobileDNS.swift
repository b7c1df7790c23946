internal import TunnelModel

/// What a VPN payload says of names.
struct MobileDNS {
    private var servers: [IPAddress]?
    private var searchDomains: [String] = []
    private var matchDomains: [String] = []
    private var tls: Bool?

    /// Reads the dictionary DNS; a tunnel that `hasOwn` servers keeps them.
    mutating func read(
        _ payload: inout MobileDictionary,
        hasOwn: Bool,
        _ report: inout MobileReport
    ) throws(MobileProfileError) {
        guard var dns = try payload.dictionary("DNS") else { return }
        let encryption = try dns.string("DNSProtocol")
        guard try !isBeyond(encryption, &dns, &report) else { return }
        try readServers(&dns, hasOwn, &report)
        guard servers?.isEmpty == false || hasOwn else {
            report.tell(
                .dropped,
                each: [
                    "SearchDomains", "DomainName", "SupplementalMatchDomains",
                    "SupplementalMatchDomainsNoSearch", "DNSProtocol",
                ], of: &dns, "it means nothing without a server")
            return report.dropUnknown(of: dns)
        }
        try readDomains(&dns, &report)
        if encryption != nil {
            if servers != nil { tls = encryption == "TLS" }
            report.tell(
                servers == nil ? .dropped : .kept, "DNSProtocol", of: dns,
                servers == nil ? "the servers are those of WgQuickConfig" : "dns.tls")
        }
        report.tell(
            .dropped, each: ["ServerName"], of: &dns,
            "the name in a server's certificate cannot be said here")
        report.dropUnknown(of: dns)
    }

    /// Whether the servers may be asked in a way alone that there is none of here.
    private func isBeyond(
        _ encryption: String?,
        _ dns: inout MobileDictionary,
        _ report: inout MobileReport
    ) throws(MobileProfileError) -> Bool {
        switch encryption {
        case nil, "Cleartext", "TLS": return false
        case "HTTPS":
            // Asked without it they would be asked in the clear.
            report.tell(.dropped, at: dns.place, "servers that are asked over HTTPS")
            return true
        default:
            throw .value(
                dns.place(of: "DNSProtocol"), problem: "neither Cleartext nor TLS nor HTTPS")
        }
    }

    private mutating func readServers(
        _ dns: inout MobileDictionary,
        _ hasOwn: Bool,
        _ report: inout MobileReport
    ) throws(MobileProfileError) {
        let texts = try dns.strings("ServerAddresses")
        let place = dns.place(of: "ServerAddresses")
        guard !hasOwn else {
            return report.tell(
                .dropped, "ServerAddresses", of: dns, "the servers are those of WgQuickConfig")
        }
        var found: [IPAddress] = []
        for (index, text) in texts.enumerated() {
            guard let address = IPAddress(text), !address.isUnspecified, !address.isMulticast else {
                throw .value(
                    MobilePlace(path: "\(place.path)[\(index)]", line: place.line),
                    problem: "not the address of a server")
            }
            if !found.contains(address) { found.append(address) }
            guard found.count <= DNSSettings.mostServers else {
                throw .value(place, problem: "more than \(DNSSettings.mostServers)")
            }
        }
        if dns.contains("ServerAddresses") { servers = found }
        report.tell(.kept, "ServerAddresses", of: dns, "dns.servers")
    }

    private mutating func readDomains(_ dns: inout MobileDictionary, _ report: inout MobileReport)
        throws(MobileProfileError)
    {
        if let domain = try dns.string("DomainName"), !domain.isEmpty {
            try add([domain], of: dns.place(of: "DomainName"), to: \.searchDomains, &report)
        }
        report.tell(.kept, "DomainName", of: dns, "dns.searchDomains")
        let search = try dns.strings("SearchDomains")
        try add(search, of: dns.place(of: "SearchDomains"), to: \.searchDomains, &report)
        report.tell(.kept, "SearchDomains", of: dns, "dns.searchDomains")
        let match = try dns.strings("SupplementalMatchDomains")
        let place = dns.place(of: "SupplementalMatchDomains")
        try add(match, of: place, to: \.matchDomains, allowsEmpty: true, &report)
        let areSearched = try dns.flag("SupplementalMatchDomainsNoSearch") != true
        if areSearched {
            for domain in matchDomains where !domain.isEmpty && !searchDomains.contains(domain) {
                searchDomains.append(domain)
            }
        }
        report.tell(
            .kept, "SupplementalMatchDomains", of: dns,
            areSearched ? "dns.matchDomains and dns.searchDomains" : "dns.matchDomains")
        report.tell(
            .kept, "SupplementalMatchDomainsNoSearch", of: dns, "dns.searchDomains")
        guard searchDomains.count <= DNSSettings.mostDomains else {
            throw .value(
                dns.place(of: "SearchDomains"), problem: "more than \(DNSSettings.mostDomains)")
        }
    }

    private mutating func add(
        _ texts: [String],
        of place: MobilePlace,
        to domains: WritableKeyPath<MobileDNS, [String]>,
        allowsEmpty: Bool = false,
        _ report: inout MobileReport
    ) throws(MobileProfileError) {
        for (index, text) in texts.enumerated() {
            let isEmpty = text.isEmpty && allowsEmpty
            if !isEmpty, let problem = DNSSettings.problem(ofDomain: text) {
                report.tell(
                    .dropped,
                    at: MobilePlace(path: "\(place.path)[\(index)]", line: place.line), problem)
            } else if !self[keyPath: domains].contains(text) {
                self[keyPath: domains].append(text)
                guard self[keyPath: domains].count <= DNSSettings.mostDomains else {
                    throw .value(place, problem: "more than \(DNSSettings.mostDomains)")
                }
            }
        }
    }

    /// Whether there are domains to search, beside those of the tunnel itself.
    var hasSearchDomains: Bool { !searchDomains.isEmpty }

    /// Puts what was said into a configuration, and leaves alone what was not.
    func put(into configuration: inout Configuration) {
        if let servers { configuration.dns.servers = servers }
        for domain in searchDomains where !configuration.dns.searchDomains.contains(domain) {
            configuration.dns.searchDomains.append(domain)
        }
        if !matchDomains.isEmpty { configuration.dns.matchDomains = matchDomains }
        if let tls { configuration.dns.tls = tls }
    }
}
