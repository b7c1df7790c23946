import OnDemand
import TunnelModel

/// Networks that rules are held against.
enum Networks {
    /// A cable behind a router of one's own.
    static let home = network(
        .ethernet, gateways: ["192.168.1.1"], servers: ["192.168.1.1"], domains: ["lan"])

    /// A cable with two name servers and search domains.
    static let office = network(
        .ethernet, gateways: ["10.1.0.1", "fe80::1"], servers: ["10.1.0.53", "2001:db8::53"],
        domains: ["corp.example.com", "example.com"])

    /// A wireless network without search domains.
    static let cafe = network(
        .wifi, ssid: "Café", gateways: ["172.16.0.1"], servers: ["172.16.0.1", "9.9.9.9"])

    static func network(
        _ kind: NetworkSnapshot.Link.Kind,
        ssid: String? = nil,
        gateways: [String] = [],
        servers: [String] = [],
        domains: [String] = []
    ) -> NetworkSnapshot {
        NetworkSnapshot(
            time: Timestamp(microseconds: 1_780_000_000_000_000),
            underlying: NetworkSnapshot.Link(
                interface: "link0", index: 2, kind: kind,
                gateways: gateways.compactMap { IPAddress($0) }, ssid: ssid),
            dnsServers: servers.compactMap { IPAddress($0) }, searchDomains: domains)
    }
}
