internal import TunnelModel

/// The commands by which wg-quick does what a configuration has keys for.
///
/// Enrolment recognises them, so that they come back as these keys.
struct RoutingHooks {
    private(set) var up: [String] = []
    private(set) var down: [String] = []

    /// The table of a tunnel; wg-quick itself would delete one that is named after it.
    private static let table = "utunctl-%i"

    init(_ routing: RoutingSettings, addresses: [IPPrefix]) {
        if routing.forward {
            let settings: [(IPAddress.Family, String)] = [
                (.v4, "net.ipv4.ip_forward"), (.v6, "net.ipv6.conf.all.forwarding"),
            ]
            // Where a family is switched off, its setting is missing, and wg-quick would give up.
            for (family, setting) in settings
            where addresses.contains(where: { $0.family == family }) {
                up.append("sysctl -q -w \(setting)=1")
            }
        }
        let rules =
            (routing.masquerade ? Self.masquerade : []) + (routing.mssClamp ? Self.clamp : [])
        guard !rules.isEmpty else { return }
        // In one transaction.
        up.append("nft '\((["add table inet \(Self.table)"] + rules).joined(separator: "; "))'")
        down.append("nft delete table inet \(Self.table)")
    }

    private static let masquerade = [
        "add chain inet \(table) translation { type nat hook postrouting priority 100; }",
        "add rule inet \(table) translation iifname \"%i\" oifname != \"%i\" masquerade",
        "add rule inet \(table) translation oifname \"%i\" fib saddr type != local masquerade",
    ]

    private static let clamp =
        ["add chain inet \(table) segments { type filter hook forward priority -150; }"]
        + ["iifname", "oifname"].map { side in
            "add rule inet \(table) segments \(side) \"%i\" tcp flags & (syn | rst) == syn "
                + "tcp option maxseg size set rt mtu"
        }
}
