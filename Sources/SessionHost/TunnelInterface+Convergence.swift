internal import Glibc
internal import KernelNetwork
internal import TunnelModel

extension TunnelInterface {
    /// What was set on the interface, in the kernel's terms.
    struct InForce: Equatable {
        var settings: EffectiveSettings?
        var plan = RoutePlan()
        var routes: [Route] = []
        var rules: [PolicyRule] = []

        /// Nothing.
        init() {}

        /// Settings, with each route where the tunnel's own packets do not meet it.
        init(_ settings: EffectiveSettings, servers: Set<IPAddress>, link index: UInt32) {
            self.settings = settings
            plan = RoutePlan(settings, servers: servers)
            let table = TunnelTable.number(ofLink: index)
            routes = plan.own.map { network in
                // The kernel's own route to the network of an address would name that source.
                let address = plan.addressesWithoutRoute.first { $0.masked == network }
                return Route(
                    destination: network, interfaceIndex: index, table: table,
                    protocolNumber: KernelReader.routeProtocol,
                    preferredSource: address?.address)
            }
            routes += plan.main.map { network in
                Route(
                    destination: network, interfaceIndex: index,
                    protocolNumber: KernelReader.routeProtocol)
            }
            rules = TunnelTable.rules(for: plan, link: index)
        }

        var addresses: [IPPrefix] { settings?.addresses ?? [] }

        /// Whether the kernel is to make no route to the network of an address.
        func isWithoutRoute(_ address: IPPrefix) -> Bool {
            plan.addressesWithoutRoute.contains(address)
        }
    }

    /// What the kernel shows otherwise than it was set; `nil` when nothing is.
    func difference() -> String? {
        do throws(NetlinkError) {
            guard let link = try kernel.link(index: index), link.alias == mark else {
                return "the interface is gone"
            }
            guard link.isUp else { return "\(link.name) is not up" }
            guard link.mtu == mtu else { return "\(link.name) has MTU \(link.mtu), not \(mtu)" }
            let present = try kernel.addresses(ofLink: index)
            for address in inForce.addresses {
                guard let found = present.first(where: { $0.prefix == address }) else {
                    return "\(link.name) lacks the address \(address)"
                }
                if found.isTentative { return "\(address) is not usable yet" }
            }
            if let missing = try missingRoutes().first {
                return "the route to \(missing.destination) is missing"
            }
            let rules = try ourRules()
            if let missing = inForce.rules.first(where: { !rules.contains($0) }) {
                return "the rule \(missing) is missing"
            }
            guard Self.grouped(rules) == Self.grouped(inForce.rules) else {
                return "the rules stand in another order"
            }
            return nil
        } catch {
            return error.description
        }
    }

    /// Puts back addresses, routes and rules that others deleted, and counts them; answers
    /// whether the interface is still there.
    func converge() -> Bool {
        do throws(NetlinkError) {
            guard let link = try kernel.link(index: index), link.alias == mark else { return false }
            follow(link)
            // Whoever set it down wants it down; its routes come back with it.
            guard link.isUp else { return true }
            let present = Set(try kernel.addresses(ofLink: index).map(\.prefix))
            for address in inForce.addresses where !present.contains(address) {
                try kernel.addAddress(
                    address, toLink: index,
                    withoutNetworkRoute: inForce.isWithoutRoute(address))
                restored.addresses += 1
            }
            let missing = try missingRoutes()
            restored.routes += UInt64(missing.count - (try kernel.add(missing).count))
            let rules = Set(try ourRules())
            let missingRules = inForce.rules.count { !rules.contains($0) }
            try changeRules(to: inForce.rules)
            restored.rules += UInt64(missingRules)
        } catch {
            // Whatever is still missing is missing in `status` too, which reads the kernel.
            return !error.isMissingDevice
        }
        return true
    }

    /// Goes from what the kernel has to what is wanted, so that at no moment packets of the
    /// tunnel itself meet one of its routes.
    func change(to wanted: InForce) throws(NetlinkError) {
        var present = try kernel.addresses(ofLink: index)
        for address in present
        where wanted.addresses.contains(address.prefix)
            && address.hasNetworkRoute == wanted.isWithoutRoute(address.prefix)
        {
            try kernel.removeAddress(address.prefix, fromLink: index)
            present.removeAll { $0.prefix == address.prefix }
        }
        for address in wanted.addresses where !present.contains(where: { $0.prefix == address }) {
            try kernel.addAddress(
                address, toLink: index, withoutNetworkRoute: wanted.isWithoutRoute(address))
        }
        let presentRoutes = Set(try ourRoutes())
        let wantedRoutes = Set(wanted.routes)
        let missing = wanted.routes.filter { !presentRoutes.contains($0) }
        if let failure = try kernel.add(missing).first { throw failure.error }
        try changeRules(to: wanted.rules)
        // What goes is removed last, so that a failure before leaves the old ones in force.
        _ = try kernel.remove(presentRoutes.filter { !wantedRoutes.contains($0) })
        for address in present where !wanted.addresses.contains(address.prefix) {
            try kernel.removeAddress(address.prefix, fromLink: index)
        }
    }

    /// Goes from the tunnel's rules that the kernel has to those that are wanted.
    ///
    /// Where rules of one priority are not as they should be they are added anew, behind what
    /// is there, before that is removed: a gap would let packets out beside the tunnel.
    func changeRules(to wanted: [PolicyRule]) throws(NetlinkError) {
        let present = Self.grouped(try ourRules())
        let groups = Self.grouped(wanted)
        for place in Set(present.keys).union(groups.keys) where present[place] != groups[place] {
            for rule in groups[place] ?? [] { try kernel.add(rule) }
            for rule in present[place] ?? [] { try kernel.remove(rule) }
        }
    }

    /// The rules of this tunnel that the kernel has, in its order.
    func ourRules() throws(NetlinkError) -> [PolicyRule] {
        try kernel.rules(protocol: KernelReader.routeProtocol)
            .filter { TunnelTable.link(of: $0) == index }
    }

    private func ourRoutes() throws(NetlinkError) -> [Route] {
        try kernel.routes(ofLink: index, protocol: KernelReader.routeProtocol)
    }

    private func missingRoutes() throws(NetlinkError) -> [Route] {
        guard !inForce.routes.isEmpty else { return [] }
        let present = Set(try ourRoutes())
        return inForce.routes.filter { !present.contains($0) }
    }

    /// Where rules compete: of one place the older comes first.
    private struct Place: Hashable {
        let family: IPAddress.Family
        let priority: UInt32

        init(_ rule: PolicyRule) {
            family = rule.family
            priority = rule.priority
        }
    }

    private static func grouped(_ rules: [PolicyRule]) -> [Place: [PolicyRule]] {
        Dictionary(grouping: rules, by: Place.init)
    }
}
