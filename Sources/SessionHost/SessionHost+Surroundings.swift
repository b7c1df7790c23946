internal import KernelNetwork
internal import LinuxSystem
internal import TunnelModel

// What is around a session's routes, and what follows from it for their status.

extension SessionHost {
    /// What its routes promise at the moment.
    var routingReport: RoutingReport {
        let surroundings = interface.surroundings
        let plan = interface.inForce.plan
        let blocksIPv6 = plan.blocked.contains(.defaultV6) && !plan.own.contains(.defaultV6)
        let policy = surroundings.routing.ipv6
        return RoutingReport(
            mode: surroundings.routing.mode, excluded: surroundings.excluded,
            ipv6: blocksIPv6 ? .block : policy)
    }

    /// What is not as it should be with its routes.
    var routeWarnings: [TunnelWarning] {
        guard let settings = interface.inForce.settings else { return [] }
        return interface.surroundings.leaks(settings).prefix(8).map { server in
            TunnelWarning(
                .endpointRouteLeaks,
                "packets to \(server) leave beside the tunnel, whoever sends them, as those of"
                    + " the provider carry no mark")
        }
    }
}
