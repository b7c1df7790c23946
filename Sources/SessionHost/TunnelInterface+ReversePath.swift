internal import Glibc
internal import KernelNetwork
internal import LinuxSystem
internal import TunnelModel

extension TunnelInterface {
    /// How many servers are looked at: all of a tunnel are reached over few interfaces.
    private static let mostServers = 64

    /// The interfaces by which answers of servers come that would be dropped as they are, each
    /// with one of these servers.
    ///
    /// Where the reverse path is filtered strictly, the kernel looks where an unmarked packet
    /// to the sender would go, and drops what did not come from there: each answer of a server
    /// that one of the tunnel's routes holds.
    func linksDroppingAnswers(
        _ settings: EffectiveSettings
    ) throws(NetlinkError) -> [String: IPAddress] {
        let servers = surroundings.keptOutside
        let own = RoutePlan(settings, surroundings).own.filter { $0.family == .v4 }
        guard !own.isEmpty else { return [:] }
        var links: [String: IPAddress] = [:]
        for server in servers.filter({ $0.family == .v4 }).prefix(Self.mostServers)
        where own.contains(where: { $0.contains(server) }) {
            let route = try kernel.routeLookup(to: server, mark: OutsideSocket.mark)
            guard let route, let link = try kernel.link(index: route.interfaceIndex),
                !link.isLoopback, Self.isStrict(link.name)
            else { continue }
            links[link.name] = server
        }
        return links
    }

    /// Has the kernel drop what comes out of the tunnel from where nothing goes into it.
    ///
    /// It goes with the interface, and needs no record.
    func filterReversePath() throws(SystemError) {
        try KernelSetting("net/ipv4/conf/\(name)/rp_filter").write("1")
    }

    /// Whether a route lies in a table of the tunnel's own, as one that holds a server does.
    var hasOwnRoutes: Bool {
        inForce.routes.contains { $0.table != Route.mainTable }
    }

    private static func isStrict(_ name: String) -> Bool {
        // Whoever has marks count in the reverse path sees to it that answers carry them.
        setting("rp_filter", name) == 1
    }

    /// The higher of the values for all interfaces and for one, as the kernel takes it.
    private static func setting(_ key: String, _ name: String) -> Int {
        [name, "all"].map { place in
            let value = try? KernelSetting("net/ipv4/conf/\(place)/\(key)").read()
            return value.flatMap { Int($0) } ?? 0
        }.max() ?? 0
    }
}
