internal import Glibc
internal import KernelNetwork
internal import TunnelModel

extension TunnelInterface {
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
                return "the route to \(missing) is missing"
            }
            guard !isPaused else { return nil }
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
            // First of all what holds back the packets that have lost their way.
            try restoreBarriers()
            guard let link = try kernel.link(index: index), link.alias == mark else { return false }
            follow(link)
            // Whoever set it down wants it down; its routes come back with it.
            guard link.isUp || !inForce.barriers.isEmpty else { return true }
            if link.isUp {
                try restoreAddresses()
                let missing = try missingRoutes()
                restored.routes += UInt64(missing.count - (try kernel.add(missing).count))
            }
            let rules = Set(try ourRules())
            let missingRules = isPaused ? 0 : inForce.rules.count { !rules.contains($0) }
            try changeRules(to: inForce.rules)
            restored.rules += UInt64(missingRules)
        } catch {
            // Whatever is still missing is missing in `status` too, which reads the kernel.
            return !error.isMissingDevice
        }
        return true
    }

    /// Lets packets go as they would without a tunnel, or no longer.
    func setPaused(_ isPaused: Bool) throws(NetlinkError) {
        guard isPaused != self.isPaused else { return }
        self.isPaused = isPaused
        try changeRules(to: inForce.rules)
    }

    private func restoreAddresses() throws(NetlinkError) {
        let present = Set(try kernel.addresses(ofLink: index).map(\.prefix))
        for address in inForce.addresses where !present.contains(address) {
            try kernel.addAddress(
                address, toLink: index, withoutNetworkRoute: inForce.isWithoutRoute(address))
            restored.addresses += 1
        }
    }

    private func restoreBarriers() throws(NetlinkError) {
        guard !inForce.barriers.isEmpty else { return }
        let present = Set(try ourBarriers())
        let missing = inForce.barriers.filter { !present.contains($0) }
        restored.routes += UInt64(missing.count - (try kernel.add(missing).count))
    }

    /// Goes from what the kernel has to what is wanted, so that at no moment packets of the
    /// tunnel itself meet one of its routes.
    func change(to wanted: InForce) throws(NetlinkError) {
        let present = try changeAddresses(to: wanted)
        if !wanted.barriers.isEmpty { mayHaveBarriers = true }
        let presentBarriers = mayHaveBarriers ? Set(try ourBarriers()) : []
        let presentRoutes = Set(try ourRoutes())
        // What holds packets back is there before what would take others in.
        let missing =
            wanted.barriers.filter { !presentBarriers.contains($0) }
            + wanted.routes.filter { !presentRoutes.contains($0) }
        if let failure = try kernel.add(missing).first { throw failure.error }
        try changeRules(to: wanted.rules)
        // What goes is removed last, so that a failure before leaves the old ones in force.
        let wantedRoutes = Set(wanted.routes + wanted.barriers)
        _ = try kernel.remove(
            presentRoutes.union(presentBarriers).filter { !wantedRoutes.contains($0) })
        for address in present where !wanted.addresses.contains(address.prefix) {
            try kernel.removeAddress(address.prefix, fromLink: index)
        }
    }

    /// Adds the addresses that are missing, and answers those that were there.
    private func changeAddresses(to wanted: InForce) throws(NetlinkError) -> [InterfaceAddress] {
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
        return present
    }

    /// Goes from the tunnel's rules that the kernel has to those that are wanted.
    ///
    /// Where rules of one priority are not as they should be they are added anew, behind what
    /// is there, before that is removed: a gap would let packets out beside the tunnel.
    ///
    /// While the block is lifted there are none: packets go as they would without a tunnel.
    func changeRules(to wanted: [PolicyRule]) throws(NetlinkError) {
        let wanted = isPaused ? [] : wanted
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

    /// The routes of this tunnel's tables that lead nowhere.
    func ourBarriers() throws(NetlinkError) -> [Route] {
        try kernel.barriers(ofLink: index)
    }

    private func missingRoutes() throws(NetlinkError) -> [Route] {
        var missing: [Route] = []
        if !inForce.routes.isEmpty {
            let present = Set(try ourRoutes())
            missing = inForce.routes.filter { !present.contains($0) }
        }
        if !inForce.barriers.isEmpty {
            let present = Set(try ourBarriers())
            missing += inForce.barriers.filter { !present.contains($0) }
        }
        return missing
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
