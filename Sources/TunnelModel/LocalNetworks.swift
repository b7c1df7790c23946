/// The networks that a host reaches without any router.
package enum LocalNetworks {
    /// Private addresses (RFC 1918), unique local ones (RFC 4193) and those of a link.
    private static let kinds = [
        "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "169.254.0.0/16", "fc00::/7",
        "fe80::/10",
    ].compactMap { IPPrefix($0) }

    /// Multicast, and the broadcast of a link.
    private static let everywhere = ["224.0.0.0/4", "255.255.255.255/32", "ff00::/8"]
        .compactMap { IPPrefix($0) }

    /// What is local of the networks on the links of a host.
    ///
    /// Whoever runs a link chooses its network: of one that is not for private use nothing
    /// counts, and of one that is wider only what is for private use.
    package static func all(onLink networks: [IPPrefix]) -> [IPPrefix] {
        var local: [IPPrefix] = []
        for network in networks.map(\.masked).sorted() {
            for kind in kinds {
                if kind.contains(network) {
                    local.append(network)
                } else if network.contains(kind) {
                    local.append(kind)
                }
            }
        }
        return local + everywhere
    }
}
