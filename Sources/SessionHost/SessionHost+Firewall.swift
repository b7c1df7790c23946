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
    ) -> Result<SessionFirewall?, SessionError> {
        guard configuration.interface.networkNamespace == nil else { return .success(nil) }
        var plan = FirewallPlan(
            table: layout.firewallTable(of: configuration.identifier),
            configuration: configuration, sockets: .ofThisHost)
        plan.link = interface.index
        do throws(FirewallError) {
            let firewall = try SessionFirewall(plan, on: loop, log: log)
            guard configuration.routing.mode == .all else {
                guard firewall.former?.blocks != true else {
                    try? interface.tearDown()
                    return .failure(.stillBlocked)
                }
                firewall.clear()
                return .success(firewall)
            }
            let literals = configuration.serverLiterals.map { ($0.name, [$0.address]) }
            try firewall.begin {
                $0.endpoints = configuration.endpoints(Dictionary(literals) { $1 })
                $0.resolvers = resolvers(configuration, layout)
                // From the beginning: names are asked for while everything is held back.
                $0.marksReplies = true
                $0.localNetworks = localNetworks(interface)
            }
            return .success(firewall)
        } catch {
            guard configuration.needsFirewall else {
                log.note("no firewall: \(error.text)")
                return .success(nil)
            }
            // What holds packets back in the routes is up already.
            try? interface.tearDown()
            return .failure(.firewall(error))
        }
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
        firewall.update {
            if countsOnReplyMarks { $0.resolvers = resolvers }
            $0.addresses = settings.addresses.map(\.address)
            $0.mtu = settings.mtu
            $0.forwardingLinks = forwardingLinks
            $0.endpoints = endpoints
            $0.marksReplies = true
        } completion: { failure in
            completion(failure)
        }
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

    /// The resolvers that are asked for the servers of the tunnel, now and later.
    var askedResolvers: [IPAddress] {
        Self.resolvers(configuration, layout, without: broughtServers)
    }

    /// The resolvers that may be asked while everything else is blocked.
    ///
    /// Those that the tunnel itself brings are not asked for its own servers.
    private static func resolvers(
        _ configuration: Configuration,
        _ layout: FileLayout,
        without brought: [IPAddress] = []
    ) -> [IPAddress] {
        let isAsked =
            configuration.routing.mode != .all || configuration.routing.resolveWhileBlocked
        guard isAsked, !configuration.serverNames.isEmpty else { return [] }
        return NameResolution.resolvers(layout, without: brought)
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
