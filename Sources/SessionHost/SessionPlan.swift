internal import KernelNetwork
internal import LinuxSystem
package import Preferences
package import TunnelModel

/// What a start of a configuration would do to this host, worked out without doing any of it.
package struct SessionPlan: Sendable {
    /// Why not all of it is known before the provider runs.
    package private(set) var unknown: [String] = []
    /// What is to be in force; `nil` where the provider alone knows what it asks for.
    package private(set) var settings: EffectiveSettings?
    /// Whether the MTU of the settings is only what follows from the servers that are known.
    package private(set) var isMTUUnknown = false
    /// What the session would end with, where that is known.
    package private(set) var failure: DisconnectReason?
    /// The routes as ip(8) shows them, over an interface of the index 0.
    package private(set) var routes: [String] = []
    /// The rules, which lead to tables of that interface.
    package private(set) var rules: [String] = []
    /// The transaction that nft(8) is given; `nil` in a network namespace of the tunnel's own.
    package private(set) var firewall: String?
    /// Where the resolver is set, in words; `nil` where the tunnel brings none.
    package private(set) var resolver: String?
    /// The settings of the kernel that become others, as sysctl(8) writes them.
    package private(set) var sysctls: [String] = []
    /// What would not be as it should be.
    package private(set) var warnings: [TunnelWarning] = []

    /// Works out a plan; whatever is known to refuse the start refuses this.
    ///
    /// What systemd hands to a unit is left to a process of the unit where `opensHandedOver` is
    /// false.
    package init(_ configuration: Configuration, _ layout: FileLayout, opensHandedOver: Bool)
        throws(SessionError)
    {
        let configuration = configuration.normalized().configuration
        let preflight = try Preflight(configuration, layout, opensHandedOver: opensHandedOver)
        try Preflight.refuseBlocked(configuration, layout)
        let servers = KnownServers(configuration, layout)
        failure = servers.failure
        for name in servers.unknown {
            unknown.append("the addresses of \(name), which are looked up at the start")
        }
        for (name, reference) in configuration.credentials.sorted(by: { $0.key < $1.key })
        where !opensHandedOver {
            guard case .systemd? = CredentialReference(reference) else { continue }
            unknown.append("the credential \(name), which systemd hands to its unit")
        }
        var surroundings = SessionHost.surroundings(of: configuration, preflight.manifest)
        let isElsewhere = configuration.interface.networkNamespace != nil
        // In a namespace of its own no route of the tunnel is in their way.
        if !isElsewhere { surroundings.servers = servers.addresses }
        settings = settings(of: configuration, servers, !surroundings.sendsUnmarked)
        resolver = try resolver(configuration, layout)
        try Self.withinNamespace(of: configuration, layout) { () throws(SessionError) in
            try look(at: configuration, layout, &surroundings)
        }
        guard !isElsewhere else { return }
        firewall = firewall(configuration, layout, surroundings, servers)
    }

    /// Does something where the interface is to live.
    private static func withinNamespace(
        of configuration: Configuration,
        _ layout: FileLayout,
        _ body: () throws(SessionError) -> Void
    ) throws(SessionError) {
        guard let name = configuration.interface.networkNamespace else { return try body() }
        let namespace: NetworkNamespace
        do { namespace = try NetworkNamespace(at: layout.networkNamespace(name)) } catch {
            throw .networkNamespace(name: name, error)
        }
        try namespace.run(body)
    }

    /// Takes from the host what the plan depends on, refuses what is in its way, and plans what
    /// goes into the kernel.
    private mutating func look(
        at configuration: Configuration,
        _ layout: FileLayout,
        _ surroundings: inout RouteSurroundings
    ) throws(SessionError) {
        try SessionHost.refuseOtherBlock(configuration, layout)
        let socket: RouteSocket
        do { socket = try RouteSocket() } catch { throw .kernel(error) }
        let own: UInt32?
        do throws(NetlinkError) {
            // A tunnel that runs is in its own way only until a restart.
            own = try KernelReader(layout).markedLinks()[configuration.identifier]?.index
            if configuration.routing.excludeLocalNetworks {
                surroundings.linkNetworks = try socket.underlyingNetworks()
            }
        } catch {
            throw .kernel(error)
        }
        try Self.refuseTaken(configuration.interface.name, exceptBy: own, socket)
        try socket.refuseTaken(configuration.ownAddresses, exceptBy: own, layout)
        let inForce = TunnelInterface.InForce(settings, surroundings, link: 0, owner: 0)
        let name = configuration.interface.name
        routes = inForce.routes.map { "\($0) dev \(name)" } + inForce.barriers.map(\.description)
        rules = inForce.rules.map(\.description)
        do throws(NetlinkError) {
            noteConflict(try socket.conflict(of: inForce.routes, exceptBy: own, layout))
            sysctls = try KernelSettingsPlan(configuration, layout, surroundings, own: own)
                .lines(settings, socket)
        } catch {
            throw .kernel(error)
        }
    }

    private static func refuseTaken(
        _ name: String,
        exceptBy own: UInt32?,
        _ socket: borrowing RouteSocket
    ) throws(SessionError) {
        guard !Naming.isPattern(name) else { return }
        let link: Link?
        do { link = try socket.link(name: name) } catch { throw .kernel(error) }
        if let link, link.index != own { throw .interfaceTaken(name: name) }
    }

    private mutating func noteConflict(_ conflict: SettingsRejection?) {
        guard let conflict else { return }
        failure =
            failure
            ?? DisconnectReason(.networkSettingsRejected, "\(conflict.key): \(conflict.text)")
    }

    private mutating func settings(
        of configuration: Configuration,
        _ servers: KnownServers,
        _ isMarked: Bool
    ) -> EffectiveSettings? {
        guard let asked = NetworkSettings.expected(of: configuration) else {
            unknown.append("what \(configuration.provider) asks for, which it says when it runs")
            return nil
        }
        let paths = (try? RouteSocket())?.paths(to: servers.addresses, isMarked: isMarked) ?? []
        switch EffectiveSettings.derive(from: asked, for: configuration, paths: paths) {
        case .accepted(let settings):
            let mtu = settings.mtu(for: configuration, paths: paths)
            if mtu?.isAutomatic == true, !servers.unknown.isEmpty {
                isMTUUnknown = true
                let clamp = configuration.routing.mssClamp ? ", and with it that of mssClamp" : ""
                unknown.append("the MTU, which follows from the ways to these servers\(clamp)")
            }
            return settings
        case .rejected(let rejections):
            noteConflict(rejections.first)
            return nil
        }
    }

    private func firewall(
        _ configuration: Configuration,
        _ layout: FileLayout,
        _ surroundings: RouteSurroundings,
        _ servers: KnownServers
    ) -> String {
        var plan = FirewallPlan(configuration, layout, surroundings)
        plan.link = Self.unnumbered
        plan.addresses = settings?.addresses.map(\.address) ?? []
        plan.mtu = settings?.mtu ?? 0
        if plan.mode.blocks { plan.endpoints = configuration.endpoints(servers.resolved) }
        let number = "\(Self.unnumbered)"
        return plan.text.split(separator: " ", omittingEmptySubsequences: false)
            .map { $0 == number ? configuration.interface.name : String($0) }
            .joined(separator: " ")
    }

    /// Stands for the interface in the rules of a firewall, which know it by its index.
    private static let unnumbered = UInt32.max

    private mutating func resolver(_ configuration: Configuration, _ layout: FileLayout)
        throws(SessionError) -> String?
    {
        guard let dns = settings?.dns else { return nil }
        do throws(ResolverProblem) {
            switch try ResolverPlace.find(for: dns, of: configuration, layout) {
            case .resolved: return "systemd-resolved"
            case .file(let path):
                if let warning = FileResolver.reduction(of: dns, at: path) {
                    warnings.append(warning)
                }
                return path
            }
        } catch {
            throw .dns(error)
        }
    }
}

extension RouteSocket {
    /// What stands against some routes: those of another tunnel, or an equal one of the host's.
    fileprivate func conflict(of routes: [Route], exceptBy own: UInt32?, _ layout: FileLayout)
        throws(NetlinkError) -> SettingsRejection?
    {
        var found = try routeTaken(of: routes, exceptBy: own)
        if found == nil { found = try routeRepeated(of: routes, exceptBy: own) }
        guard let route = found else { return nil }
        let prefix = route.destination
        let text = holder(ofRouteTo: prefix, exceptBy: own, layout)
        return SettingsRejection(key: "\(prefix)", text: text ?? "it is routed already")
    }
}
