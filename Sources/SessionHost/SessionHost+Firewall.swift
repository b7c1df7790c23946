internal import KernelNetwork
internal import LinuxSystem
internal import Preferences
internal import TunnelModel

// The firewall of a session: a kill switch from before it is accepted until something lifts it,
// and what else its rules are for from when the tunnel has its settings.

extension SessionHost {
    /// Puts up the kill switch, where the configuration asks for one; any other table comes with
    /// the settings of the tunnel.
    ///
    /// The answer is `nil` where there is no firewall and none is needed.
    static func beginFirewall(
        _ configuration: Configuration,
        _ layout: FileLayout,
        _ interface: TunnelInterface,
        on loop: EventLoop,
        log: HostLog
    ) throws(SessionError) -> SessionFirewall? {
        var plan = FirewallPlan(
            table: layout.firewallTable(of: configuration.identifier),
            configuration: configuration, sockets: .ofThisHost)
        plan.link = interface.index
        do throws(FirewallError) {
            guard configuration.routing.mode == .all else {
                return try SessionFirewall(plan, isWritten: false, on: loop, log: log)
            }
            let literals = configuration.serverLiterals.map { ($0.name, [$0.address]) }
            plan.endpoints = configuration.endpoints(Dictionary(literals) { $1 })
            plan.resolvers = resolvers(configuration, layout)
            plan.localNetworks = localNetworks(interface)
            try RuleWriter.write(plan.text)
            return try SessionFirewall(plan, isWritten: true, on: loop, log: log)
        } catch {
            guard configuration.needsFirewall else {
                log.note("no firewall: \(error.text)")
                return nil
            }
            // What holds packets back in the routes is up already.
            try? interface.tearDown()
            throw .firewall(error)
        }
    }

    /// Refuses a start that the kill switch of another tunnel would let nothing out of, or that
    /// would do away with the block of this one's own.
    static func refuseBlocked(_ configuration: Configuration, _ layout: FileLayout)
        throws(SessionError)
    {
        let table = layout.firewallTable(of: configuration.identifier)
        let blocks: [(table: String, label: FirewallLabel)]
        do throws(NetlinkError) { blocks = try FirewallReader.blocks(FirewallSocket()) } catch {
            // Where none can be read, none is in force either.
            return
        }
        let isAll = configuration.routing.mode == .all
        if let other = blocks.first(where: { $0.table != table }), isAll {
            throw .blockedByOther(name: other.label.name)
        }
        if !isAll, blocks.contains(where: { $0.table == table }) { throw .stillBlocked }
    }

    /// Goes back to what there was before a start that came to nothing.
    static func retreat(
        _ firewall: SessionFirewall?,
        to former: FirewallMode?,
        _ layout: FileLayout
    ) {
        guard let firewall, firewall.isExpected else { return }
        if former?.blocks == true {
            // The table of this start blocks as well, should this fail.
            try? RuleWriter.write(firewall.plan.blocked.text)
        } else {
            firewall.remove()
        }
    }

    /// What the table of a configuration is there for now; `nil` where there is none.
    static func firewallMode(of identifier: String, _ layout: FileLayout) -> FirewallMode? {
        (try? FirewallReader(layout))
            .flatMap { try? $0.table(of: identifier) }?.label.mode
    }

    /// Lets the firewall follow what is known of servers and resolvers, and calls back when the
    /// provider's packets come through.
    func followServers(_ completion: @escaping () -> Void) {
        guard let firewall, configuration.routing.mode == .all else { return completion() }
        let endpoints = configuration.endpoints(resolved)
        let resolvers = Self.resolvers(configuration, layout)
        firewall.update {
            $0.endpoints = endpoints
            $0.resolvers = resolvers
        } completion: { [weak self] failure in
            if let failure {
                self?.log.note("the firewall knows no new address of a server: \(failure.text)")
            }
            completion()
        }
    }

    /// Puts the table in force that goes with settings, once they are, and says how that went.
    func applyFirewall(
        _ settings: EffectiveSettings,
        completion: @escaping (FirewallError?) -> Void
    ) {
        guard let firewall else { return completion(.programMissing(RuleWriter.places)) }
        let endpoints = endpointsToMark
        firewall.update {
            $0.addresses = settings.addresses.map(\.address)
            $0.mtu = settings.mtu
            $0.forwardingLinks = forwardingLinks
            $0.endpoints = endpoints
            $0.marksReplies = true
        } completion: { failure in
            completion(failure)
        }
    }

    /// The endpoints whose answers carry the mark: those that the firewall lets through, and
    /// where it lets everything through, those that the provider has told of as well.
    var endpointsToMark: Set<FirewallEndpoint> {
        var endpoints = configuration.endpoints(resolved)
        guard configuration.routing.mode != .all else { return endpoints }
        guard interface.hasOwnRoutes else { return [] }
        let known = Set(endpoints.map(\.address))
        for address in servers where !known.contains(address) {
            for transport in FirewallEndpoint.Transport.allCases {
                endpoints.insert(FirewallEndpoint(address, port: nil, transport))
            }
        }
        return endpoints
    }

    /// Lifts the block for some seconds, or no longer, because somebody asks for it.
    func pause(seconds: UInt32, _ client: ControlServer.Client) {
        guard let firewall, firewall.plan.mode.blocks, !isEnding else {
            return client.send(.refused(text: "its tunnel blocks nothing"))
        }
        firewall.pause(seconds: seconds) { [weak self] failure in
            if let failure { return client.send(.refused(text: failure.text)) }
            self?.setRoutesPaused(for: seconds)
            client.send(.paused(until: firewall.pausedUntil))
        }
    }

    // The kernel itself ends the pause of the firewall, whoever lives then.
    private func setRoutesPaused(for seconds: UInt32) {
        loop.cancel(pauseEnd)
        pauseEnd = nil
        do throws(NetlinkError) { try interface.setPaused(seconds > 0) } catch {
            log.note(error.description)
        }
        guard seconds > 0 else { return }
        pauseEnd = loop.schedule(milliseconds: Int64(seconds) * 1000) { [weak self] in
            self?.setRoutesPaused(for: 0)
        }
    }

    /// What a status says of the firewall, read now.
    var firewallReport: SessionReport.Firewall? {
        guard let firewall, firewall.isExpected else { return nil }
        return SessionReport.Firewall(
            table: firewall.plan.table, mode: firewall.plan.mode, isPresent: firewall.isPresent,
            pausedUntil: firewall.pausedUntil)
    }

    /// The resolvers that may be asked while everything else is blocked.
    private static func resolvers(_ configuration: Configuration, _ layout: FileLayout)
        -> [IPAddress]
    {
        guard configuration.routing.resolveWhileBlocked, !configuration.serverNames.isEmpty else {
            return []
        }
        return NameResolution.resolvers(layout)
    }

    /// The networks beside the tunnel, where the configuration leaves them out.
    static func localNetworks(_ interface: TunnelInterface) -> [IPPrefix] {
        let surroundings = interface.surroundings
        guard surroundings.routing.excludeLocalNetworks else { return [] }
        return LocalNetworks.all(onLink: surroundings.linkNetworks)
    }
}

extension FirewallPlan.Sockets {
    /// How the sockets are known that this process makes for others.
    static var ofThisHost: FirewallPlan.Sockets {
        FirewallPlan.Sockets(
            mark: OutsideSocket.mark, provider: Sandbox.user?.uid ?? Account.effectiveUser,
            resolver: Account.effectiveUser)
    }
}
