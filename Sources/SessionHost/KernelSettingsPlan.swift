internal import KernelNetwork
internal import LinuxSystem
internal import Preferences
internal import TunnelModel

/// The settings of the kernel that a session would change, found without changing any.
///
/// The conditions are those of `prepareReversePath` and `prepareForwarding`.
struct KernelSettingsPlan {
    private let configuration: Configuration
    private let layout: FileLayout
    private let surroundings: RouteSurroundings
    /// The interface of a session that runs, which is gone when the next one begins.
    private let own: UInt32?

    init(
        _ configuration: Configuration,
        _ layout: FileLayout,
        _ surroundings: RouteSurroundings,
        own: UInt32?
    ) {
        self.configuration = configuration
        self.layout = layout
        self.surroundings = surroundings
        self.own = own
    }

    /// The settings as sysctl(8) writes them, each once; without `settings` what is known before
    /// there are any.
    func lines(_ settings: EffectiveSettings?, _ socket: borrowing RouteSocket) throws(NetlinkError)
        -> [String]
    {
        var lines: [String] = []
        func add(_ path: String, _ value: String) {
            let line = "\(Self.key(path))=\(value)"
            if !lines.contains(line) { lines.append(line) }
        }
        let name = configuration.interface.name
        add("net/ipv4/conf/\(name)/rp_filter", "1")
        let resolvers = FirewallPlan.resolvers(configuration, layout)
        var dropping = try socket.linksDroppingAnswers(settings, surroundings, resolvers: resolvers)
        if configuration.routing.mode == .all {
            // Everything is blocked before the tunnel has a route of its own.
            dropping.merge(
                try socket.linksDroppingAnswers(nil, surroundings, resolvers: resolvers)
            ) { first, _ in first }
        }
        for link in dropping.keys.sorted() {
            let path = "net/ipv4/conf/\(link)/src_valid_mark"
            if value(path) == "0" { add(path, "1") }
        }
        guard configuration.routing.forward else { return lines }
        let links = try socket.links().filter { !$0.isLoopback && $0.index != own }
        for (path, value) in forwarding(links, hasIPv6: hasIPv6(settings)) { add(path, value) }
        return lines
    }

    private func hasIPv6(_ settings: EffectiveSettings?) -> Bool {
        settings?.addresses.contains { $0.family == .v6 } ?? false
    }

    private func forwarding(_ links: [Link], hasIPv6: Bool) -> [(path: String, value: String)] {
        let name = configuration.interface.name
        var changes: [(path: String, value: String)] = []
        func consider(_ path: String, former: String, _ new: String) {
            if value(path) == former { changes.append((path, new)) }
        }
        for link in links { consider("net/ipv4/conf/\(link.name)/forwarding", former: "0", "1") }
        if value("net/ipv4/conf/default/forwarding") == "0" {
            changes.append(("net/ipv4/conf/\(name)/forwarding", "1"))
        }
        let all = "net/ipv6/conf/all/forwarding"
        guard hasIPv6, value(all) == "0" else { return changes }
        if value("net/ipv6/conf/default/force_forwarding") != nil {
            changes.append(("net/ipv6/conf/\(name)/force_forwarding", "1"))
            for link in links {
                consider("net/ipv6/conf/\(link.name)/force_forwarding", former: "0", "1")
            }
        } else {
            for link in links {
                consider("net/ipv6/conf/\(link.name)/accept_ra", former: "1", "2")
            }
            changes.append((all, "1"))
        }
        return changes
    }

    private func value(_ path: String) -> String? { try? KernelSetting(path).read() }

    /// A path as sysctl(8) writes it: a dot in the name of an interface becomes a slash.
    private static func key(_ path: String) -> String {
        String(path.map { $0 == "/" ? "." : $0 == "." ? "/" : $0 })
    }
}
