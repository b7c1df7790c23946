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
        guard configuration.interface.networkNamespace == nil else { return nil }
        var plan = FirewallPlan(configuration, layout, interface.surroundings)
        plan.link = interface.index
        let firewall: SessionFirewall
        do throws(FirewallError) {
            firewall = try SessionFirewall(plan, on: loop, log: log)
            if configuration.routing.mode == .all { try firewall.begin() }
        } catch {
            guard configuration.needsFirewall else {
                log.note("no firewall: \(error.text)")
                return nil
            }
            throw .firewall(error)
        }
        guard configuration.routing.mode != .all else { return firewall }
        guard firewall.former?.blocks != true else { throw .stillBlocked }
        firewall.clear()
        return firewall
    }

    /// Lets the firewall follow what is known of servers and resolvers, and calls back when the
    /// provider's packets come through.
    func followServers(_ completion: @escaping () -> Void) {
        guard let firewall, configuration.routing.mode == .all else { return completion() }
        let endpoints = configuration.endpoints(resolved)
        let resolvers = askedResolvers
        firewall.update {
            $0.endpoints = endpoints
            $0.resolvers = resolvers
            $0.follow(self.configuration)
        } completion: { [weak self] failure in
            if let failure {
                self?.log.note("the firewall knows no new address of a server: \(failure.text)")
            }
            completion()
        }
    }

    /// Has the table written while the provider comes up, where its settings are known before it
    /// asks for them: nft takes its time.
    func anticipateFirewall() {
        let addresses = configuration.ownAddresses.map(\.address)
        let routing = configuration.routing
        if routing.mode == .all, let problem = try? prepareReversePath(nil) {
            log.note(problem.text)
        }
        guard routing.mode != .all, !addresses.isEmpty, !routing.forward, !routing.mssClamp else {
            return
        }
        firewall?.update { $0.addresses = addresses }
    }

    /// Puts the table in force that goes with settings, once they are, and says how that went.
    func applyFirewall(
        _ settings: EffectiveSettings,
        completion: @escaping (FirewallError?) -> Void
    ) {
        guard let firewall else {
            // No other link brings anything into a namespace of the tunnel's own.
            return completion(outside == nil ? Self.firewallProblem : nil)
        }
        let endpoints = endpointsToMark
        let resolvers = askedResolvers
        let change: (inout FirewallPlan) -> Void = { plan in
            plan.follow(self.configuration)
            plan.localNetworks = self.interface.surroundings.localNetworks
            if self.countsOnReplyMarks || plan.mode.blocks { plan.resolvers = resolvers }
            plan.addresses = settings.addresses.map(\.address)
            plan.mtu = settings.mtu
            plan.forwardingLinks = self.forwardingLinks
            plan.endpoints = endpoints
            plan.marksReplies = true
        }
        firewall.update(change, completion: completion)
    }

    /// Why this host has no firewall.
    private static var firewallProblem: FirewallError {
        do throws(NetlinkError) { _ = try FirewallSocket().tables() } catch {
            return .kernel(error)
        }
        return RuleWriter.problem() ?? .changedMeanwhile
    }

    /// The endpoints whose answers carry the mark: those that the firewall lets through, and
    /// where it lets everything through, those that the provider has told of as well.
    var endpointsToMark: Set<FirewallEndpoint> {
        var endpoints = configuration.endpoints(resolved)
        guard configuration.routing.mode != .all else { return endpoints }
        guard interface.hasOwnRoutes else { return [] }
        let known = Set(endpoints.map(\.address))
        for address in interface.servers where !known.contains(address) {
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
        setResolverPaused(seconds > 0)
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

    /// The resolvers that are asked for the servers of the tunnel, now and later.
    var askedResolvers: [IPAddress] {
        FirewallPlan.resolvers(configuration, layout, without: broughtServers)
    }
}

extension FirewallPlan {
    /// The table of a configuration before its tunnel has any settings, but for the interface.
    init(_ configuration: Configuration, _ layout: FileLayout, _ surroundings: RouteSurroundings) {
        self.init(
            table: layout.firewallTable(of: configuration.identifier),
            configuration: configuration, sockets: .ofThisHost)
        localNetworks = surroundings.localNetworks
        guard configuration.routing.mode == .all else { return }
        let literals = configuration.serverLiterals.map { ($0.name, [$0.address]) }
        endpoints = configuration.endpoints(Dictionary(literals) { $1 })
        resolvers = Self.resolvers(configuration, layout)
        // From the beginning: names are asked for while everything is held back.
        marksReplies = true
    }

    /// The resolvers that are asked for the servers of a tunnel, beside it.
    ///
    /// Those that the tunnel itself brings are not asked for its own servers.
    static func resolvers(
        _ configuration: Configuration,
        _ layout: FileLayout,
        without brought: [IPAddress] = []
    ) -> [IPAddress] {
        let isAsked =
            configuration.routing.mode != .all || configuration.routing.resolveWhileBlocked
        guard isAsked, !configuration.serverNames.isEmpty else { return [] }
        return NameResolution.resolvers(layout, without: brought)
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
