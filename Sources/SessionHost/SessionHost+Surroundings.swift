internal import KernelNetwork
internal import LinuxSystem
internal import TunnelModel

/// What a session has seen around its tunnel.
struct Outlook {
    /// By which ways its own packets leave; nil before it has looked.
    var path: UnderlyingPath?
    /// What stands before its routes.
    var shadows: [TunnelWarning] = []
    /// Whether routes or rules have changed since that was looked at.
    var isStale = false
    var look: EventLoop.Timer?
}

// What is around a session's routes, and what follows from it.

extension SessionHost {
    /// How long changes are gathered before they are looked at: one seldom comes alone.
    private static let gatheringMilliseconds: Int64 = 200

    /// Sees to it that what is around is looked at again, where events tell of a change.
    ///
    /// Those of another network namespace than the interface's concern it alone by the way of the
    /// tunnel's own packets, and an index there is another link's.
    func noteSurroundings(_ events: [NetworkEvent], isOutside: Bool = false) {
        let index = isOutside ? 0 : interface.index
        var concerns = false
        for event in events {
            switch event {
            case .linkChanged(let link) where link.index != index: concerns = true
            case .linkRemoved(let other, _) where other != index: concerns = true
            case .addressAdded(let other, _) where other != index: concerns = true
            case .addressRemoved(let other, _) where other != index: concerns = true
            case .routeAdded(let route), .routeRemoved(let route):
                guard route.interfaceIndex != index,
                    TunnelTable.link(ofTable: route.table) != index
                else { continue }
                concerns = true
                outlook.isStale = true
            case .ruleAdded(let rule), .ruleRemoved(let rule):
                guard TunnelTable.link(of: rule) != index else { continue }
                concerns = true
                outlook.isStale = true
            case .overflow, .otherRuleChanged:
                concerns = true
                outlook.isStale = true
            case .linkChanged, .linkRemoved, .addressAdded, .addressRemoved: break
            }
        }
        // Routes go with their link in silence.
        if concerns, !outlook.shadows.isEmpty { outlook.isStale = true }
        if concerns { scheduleLook() }
    }

    /// Looks around in a moment, once for all that comes until then.
    func scheduleLook() {
        guard outlook.look == nil else { return }
        outlook.look = loop.schedule(milliseconds: Self.gatheringMilliseconds) { [weak self] in
            self?.outlook.look = nil
            self?.lookAround()
        }
    }

    /// Looks at what is around, and acts on what has changed.
    func lookAround() {
        guard !isEnding else { return }
        do throws(NetlinkError) {
            var surroundings = interface.surroundings
            surroundings.linkNetworks = try interface.linkNetworks()
            if surroundings != interface.surroundings { adapt(to: surroundings) }
            guard interface.inForce.settings != nil else { return }
            followMTU()
            notePath(try interface.underlyingPath())
            guard outlook.isStale else { return }
            outlook.shadows = try interface.shadows()
            outlook.isStale = false
        } catch {
            log.note(error.description)
        }
    }

    private func notePath(_ path: UnderlyingPath) {
        defer { outlook.path = path }
        guard let former = outlook.path, former != path else { return }
        log.note("the way to the servers has changed: \(path.text)")
        if let settings = interface.inForce.settings,
            let problem = try? prepareReversePath(settings)
        {
            log.note(problem.text)
        }
        provider?.send(.pathChanged(path))
    }

    /// What its routes promise at the moment.
    var routingReport: RoutingReport {
        let surroundings = interface.surroundings
        let plan = interface.inForce.plan
        let blocksIPv6 = plan.blocked.contains(.defaultV6) && !plan.own.contains(.defaultV6)
        return RoutingReport(
            mode: surroundings.routing.mode, excluded: surroundings.excluded,
            ipv6: blocksIPv6 ? .block : surroundings.routing.ipv6)
    }

    /// What is not as it should be with its routes.
    var routeWarnings: [TunnelWarning] {
        guard let settings = interface.inForce.settings else { return [] }
        var warnings = outlook.shadows
        warnings += interface.surroundings.leaks(settings).prefix(8).map { server in
            TunnelWarning(
                .endpointRouteLeaks,
                "packets to \(server) leave beside the tunnel, whoever sends them, as those of"
                    + " the provider carry no mark")
        }
        if !interface.servers.isEmpty, outlook.path?.isUsable == false {
            warnings.append(
                TunnelWarning(
                    .noUnderlyingNetwork, "no network leads to a server of this tunnel"))
        }
        return warnings
    }
}
