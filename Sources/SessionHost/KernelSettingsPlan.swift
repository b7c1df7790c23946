internal import KernelNetwork
internal import LinuxSystem
internal import Preferences
internal import TunnelModel

/// The settings of the kernel that a session would change, found without changing any.
///
/// The conditions for the reverse path are those of `prepareReversePath`.
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
        let hasIPv6 = settings?.addresses.contains { $0.family == .v6 } ?? false
        for path in ownForwarding(hasIPv6: hasIPv6) { add(path, "1") }
        var forwarding = Forwarding(links: ForwardingLinks(), of: own ?? 0)
        forwarding.addIPv4(links)
        if hasIPv6 { forwarding.addIPv6(links) }
        for setting in forwarding.settings { add(setting.path, setting.value) }
        return lines
    }

    /// The settings of the tunnel's own link, which is not there yet and begins with the default.
    private func ownForwarding(hasIPv6: Bool) -> [String] {
        let name = configuration.interface.name
        var paths: [String] = []
        if value("net/ipv4/conf/default/forwarding") == "0" {
            paths.append("net/ipv4/conf/\(name)/forwarding")
        }
        if hasIPv6, value("net/ipv6/conf/all/forwarding") == "0",
            value("net/ipv6/conf/default/force_forwarding") != nil
        {
            paths.append("net/ipv6/conf/\(name)/force_forwarding")
        }
        return paths
    }

    private func value(_ path: String) -> String? { try? KernelSetting(path).read() }

    /// A path as sysctl(8) writes it: a dot in the name of an interface becomes a slash.
    private static func key(_ path: String) -> String {
        String(path.map { $0 == "/" ? "." : $0 == "." ? "/" : $0 })
    }
}
