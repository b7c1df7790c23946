internal import Glibc
internal import KernelNetwork
internal import LinuxSystem
internal import TunnelModel

extension TunnelInterface {
    /// The interfaces by which answers of servers and resolvers come that would be dropped.
    func linksDroppingAnswers(
        _ settings: EffectiveSettings?,
        resolvers: [IPAddress]
    ) throws(NetlinkError) -> [String: IPAddress] {
        try kernel.linksDroppingAnswers(settings, surroundings, resolvers: resolvers)
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
}

extension RouteSocket {
    /// How many servers are looked at: all of a tunnel are reached over few interfaces.
    private static var mostServers: Int { 64 }

    /// The interfaces by which answers of servers and resolvers come that would be dropped as
    /// they are, each with one of these.
    ///
    /// Where the reverse path is filtered, the kernel looks where an unmarked packet to the
    /// sender would go. Strictly, it drops what did not come from there: each answer of a server
    /// that one of the tunnel's routes holds. Loosely, it drops that to which no way leads at
    /// all: while everything is blocked and the tunnel has no route yet.
    func linksDroppingAnswers(
        _ settings: EffectiveSettings?,
        _ surroundings: RouteSurroundings,
        resolvers: [IPAddress]
    ) throws(NetlinkError) -> [String: IPAddress] {
        let servers = (surroundings.keptOutside + resolvers).filter { $0.family == .v4 }
        let plan = RoutePlan(settings, surroundings)
        guard !plan.own.isEmpty || !plan.blocked.isEmpty else { return [:] }
        var links: [String: IPAddress] = [:]
        for server in servers.prefix(Self.mostServers) {
            let isTaken = plan.own.contains { $0.contains(server) }
            guard isTaken || plan.blocked.contains(where: { $0.contains(server) }) else { continue }
            let route = try routeLookup(to: server, mark: OutsideSocket.mark)
            guard let route, let link = try self.link(index: route.interfaceIndex),
                !link.isLoopback
            else { continue }
            // Whoever has marks count in the reverse path sees to it that answers carry them.
            let filter = Self.setting("rp_filter", link.name)
            if filter == 1 || (filter == 2 && !isTaken) { links[link.name] = server }
        }
        return links
    }

    /// The higher of the values for all interfaces and for one, as the kernel takes it.
    private static func setting(_ key: String, _ name: String) -> Int {
        [name, "all"].map { place in
            let value = try? KernelSetting("net/ipv4/conf/\(place)/\(key)").read()
            return value.flatMap { Int($0) } ?? 0
        }.max() ?? 0
    }
}
