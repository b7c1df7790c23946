internal import KernelNetwork
internal import LinuxSystem
internal import TunnelModel

extension TunnelInterface {
    /// How many of a kind are told one by one.
    private static let mostTold = 4
    /// How many networks of the tunnel the kernel is asked about.
    private static let mostSamples = 64

    /// What of others packets take that are the tunnel's to take.
    func shadows() throws(NetlinkError) -> [TunnelWarning] {
        guard let settings = inForce.settings else { return [] }
        let finder = ShadowFinder(
            inForce.plan, addresses: settings.addresses, excluded: surroundings.excluded)
        let found = try tunnelShadows(finder) + mainShadows(finder)
        var names: [UInt32: String] = [:]
        for shadow in found where names[shadow.interfaceIndex] == nil {
            names[shadow.interfaceIndex] =
                try kernel.link(index: shadow.interfaceIndex)?.name ?? "a link that is gone"
        }
        var warnings = told(.routeShadowed, found.filter { !$0.isTunnel }) { shadow in
            "packets to \(shadow.network) leave by \(names[shadow.interfaceIndex] ?? ""), whose"
                + " route is nearer: see routing.enforceRoutes, or exclude the network"
        }
        warnings += told(.routesOverlap, found.filter(\.isTunnel)) { shadow in
            "packets to \(shadow.network) go through \(names[shadow.interfaceIndex] ?? ""), another"
                + " tunnel whose route goes first"
        }
        return warnings + (try ruleShadows(settings))
    }

    private func told<Value>(
        _ code: TunnelWarning.Code,
        _ values: [Value],
        _ text: (Value) -> String
    ) -> [TunnelWarning] {
        var warnings = values.prefix(Self.mostTold).map { TunnelWarning(code, text($0)) }
        if values.count > Self.mostTold {
            warnings.append(TunnelWarning(code, "and \(values.count - Self.mostTold) more"))
        }
        return warnings
    }

    private func mainShadows(_ finder: ShadowFinder) throws(NetlinkError) -> [RouteShadow] {
        let plan = inForce.plan
        guard !plan.goesAhead(.v4) || !plan.goesAhead(.v6) else { return [] }
        let onLink = Set(try kernel.addresses().map { OnLink($0.interfaceIndex, $0.prefix.masked) })
        var found: Set<RouteShadow> = []
        for route in try kernel.routes(table: Route.mainTable)
        where route.interfaceIndex != index && route.protocolNumber != KernelReader.routeProtocol {
            let isKernels = route.protocolNumber == Self.kernelProtocol
            let network = OnLink(route.interfaceIndex, route.destination)
            let ours = Route(
                destination: route.destination, interfaceIndex: index,
                protocolNumber: KernelReader.routeProtocol)
            guard
                finder.isShadow(
                    route.destination,
                    isOnLink: route.gateway == nil
                        && (isKernels || onLink.contains(network)),
                    isPreferred: route.effectiveMetric < ours.effectiveMetric)
            else { continue }
            found.insert(
                RouteShadow(
                    network: route.destination, interfaceIndex: route.interfaceIndex,
                    isTunnel: false))
        }
        return found.sorted { $0.network < $1.network }
    }

    /// RTPROT_KERNEL: the kernel's own, for the network of an address.
    private static let kernelProtocol: UInt8 = 2

    private struct OnLink: Hashable {
        let interfaceIndex: UInt32
        let network: IPPrefix

        init(_ interfaceIndex: UInt32, _ network: IPPrefix) {
            self.interfaceIndex = interfaceIndex
            self.network = network
        }
    }

    private func tunnelShadows(_ finder: ShadowFinder) throws(NetlinkError) -> [RouteShadow] {
        let others = try kernel.routes(protocol: KernelReader.routeProtocol)
            .filter { $0.interfaceIndex != index }
        guard !others.isEmpty else { return [] }
        let tablesAhead = Set(
            try kernel.rules(protocol: KernelReader.routeProtocol)
                .filter { TunnelTable.goesAhead($0) }.map(\.table))
        return Set(
            others.filter { route in
                finder.isShadow(
                    ofTunnel: route.destination, isAhead: tablesAhead.contains(route.table))
            }.map { route in
                RouteShadow(
                    network: route.destination, interfaceIndex: route.interfaceIndex, isTunnel: true
                )
            }
        ).sorted { $0.network < $1.network }
    }

    /// What rules of others take away: the kernel is asked for some addresses of each network.
    private func ruleShadows(_ settings: EffectiveSettings) throws(NetlinkError)
        -> [TunnelWarning]
    {
        guard try kernel.link(index: index)?.isUp == true else { return [] }
        let plan = inForce.plan
        let own = Set(settings.addresses.map(\.address))
        let networks = settings.includedRoutes.prefix(Self.mostSamples).filter { plan.holds($0) }
        var found: [String] = []
        var mainRoutes: [Route]?
        for network in networks {
            for sample in network.samples(besides: own)
            where !surroundings.excluded.contains(where: { $0.contains(sample) }) {
                if let way = try shadow(of: sample, in: network, &mainRoutes) {
                    found.append("packets to \(sample) are \(way)")
                    break
                }
            }
        }
        return told(.ruleShadowed, found) {
            "\($0) by a rule ahead of the tunnel's: see ip rule"
        }
    }

    /// What becomes of packets to an address because of a rule, if anything.
    ///
    /// The main table is read once for all of them, and only where it matters.
    private func shadow(
        of sample: IPAddress,
        in network: IPPrefix,
        _ mainRoutes: inout [Route]?
    ) throws(NetlinkError) -> String? {
        switch try kernel.lookUp(RouteQuestion(to: sample)) {
        case .route(let route):
            guard route.interfaceIndex != index, route.table != Route.localTable,
                TunnelTable.link(ofTable: route.table) == nil
            else { return nil }
            // Where the main table is asked first, its nearer routes are told by themselves.
            if route.table == Route.mainTable, !inForce.plan.goesAhead(network.family) {
                if mainRoutes == nil { mainRoutes = try kernel.routes(table: Route.mainTable) }
                if hasRight(among: mainRoutes ?? [], to: sample, in: network) { return nil }
            }
            return "sent to the table \(route.table == Route.mainTable ? "main" : "\(route.table)")"
        // An address of this host is nobody's to take.
        case .local: return nil
        // The route of the tunnel is there: that none is found is a rule's doing as well.
        case .unreachable, .noRoute: return "refused"
        }
    }

    /// Whether a route of the main table has a right to an address of a network of the tunnel.
    private func hasRight(among routes: [Route], to sample: IPAddress, in network: IPPrefix)
        -> Bool
    {
        routes.contains { route in
            route.destination.contains(sample) && !route.destination.isDefault
                && route.interfaceIndex != index && route.destination.length >= network.length
        }
    }
}
