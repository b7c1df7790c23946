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
    /// What the provider asks for and is not given.
    package private(set) var rejections: [SettingsRejection] = []
    /// The routes as ip(8) shows them, over an interface of the index 0.
    package private(set) var routes: [String] = []
    /// The rules, which lead to tables of that interface.
    package private(set) var rules: [String] = []
    /// The transaction that nft(8) is given; `nil` in a network namespace of the tunnel's own.
    package private(set) var firewall: String?
    /// Where the resolver is set, in words; `nil` where the tunnel brings none.
    package private(set) var resolver: String?

    /// Works out a plan; whatever is known to refuse the start refuses this.
    package init(_ configuration: Configuration, _ layout: FileLayout) throws(SessionError) {
        let configuration = configuration.normalized().configuration
        let preflight = try Preflight(configuration, layout)
        try Preflight.refuseBlocked(configuration, layout)
        for name in configuration.serverNames {
            unknown.append("the addresses of \(name), which are looked up at the start")
        }
        var surroundings = SessionHost.surroundings(of: configuration, preflight.manifest)
        surroundings.servers = Set(configuration.serverLiterals.map(\.address))
        if configuration.interface.networkNamespace == nil {
            try SessionHost.refuseOtherBlock(configuration, layout)
            try look(at: configuration, layout, &surroundings)
        }
        settings = settings(of: configuration, surroundings)
        plan(configuration, surroundings)
        resolver = try resolver(configuration, layout)
        guard configuration.interface.networkNamespace == nil else { return }
        firewall = firewall(configuration, layout, surroundings)
    }

    /// Takes from the host what the plan depends on, and refuses what is in its way.
    private func look(
        at configuration: Configuration,
        _ layout: FileLayout,
        _ surroundings: inout RouteSurroundings
    ) throws(SessionError) {
        let socket: RouteSocket
        do { socket = try RouteSocket() } catch { throw .kernel(error) }
        let own: UInt32?
        do throws(NetlinkError) {
            // A tunnel that runs is in its own way only until a restart.
            own = try KernelReader(layout).markedLinks()[configuration.identifier]?.index
            surroundings.linkNetworks = try socket.underlyingNetworks()
        } catch {
            throw .kernel(error)
        }
        try socket.refuseTaken(configuration.ownAddresses, exceptBy: own, layout)
    }

    private mutating func settings(
        of configuration: Configuration,
        _ surroundings: RouteSurroundings
    ) -> EffectiveSettings? {
        guard let asked = NetworkSettings.expected(of: configuration) else {
            unknown.append("what \(configuration.provider) asks for, which it says when it runs")
            return nil
        }
        let paths = (try? RouteSocket())?.paths(
            to: surroundings.servers, isMarked: !surroundings.sendsUnmarked)
        switch EffectiveSettings.derive(from: asked, for: configuration, paths: paths ?? []) {
        case .accepted(let settings): return settings
        case .rejected(let rejections):
            self.rejections = rejections
            return nil
        }
    }

    private mutating func plan(_ configuration: Configuration, _ surroundings: RouteSurroundings) {
        let inForce = TunnelInterface.InForce(settings, surroundings, link: 0, owner: 0)
        let name = configuration.interface.name
        routes = inForce.routes.map { "\($0) dev \(name)" } + inForce.barriers.map(\.description)
        rules = inForce.rules.map(\.description)
    }

    private func firewall(
        _ configuration: Configuration,
        _ layout: FileLayout,
        _ surroundings: RouteSurroundings
    ) -> String {
        var plan = FirewallPlan(configuration, layout, surroundings)
        plan.link = Self.unnumbered
        plan.addresses = settings?.addresses.map(\.address) ?? []
        plan.mtu = settings?.mtu ?? 0
        let number = "\(Self.unnumbered)"
        return plan.text.split(separator: " ", omittingEmptySubsequences: false)
            .map { $0 == number ? configuration.interface.name : String($0) }
            .joined(separator: " ")
    }

    /// Stands for the interface in the rules of a firewall, which know it by its index.
    private static let unnumbered = UInt32.max

    private func resolver(_ configuration: Configuration, _ layout: FileLayout)
        throws(SessionError) -> String?
    {
        guard let dns = settings?.dns else { return nil }
        do throws(ResolverProblem) {
            switch try ResolverPlace.find(for: dns, of: configuration, layout) {
            case .resolved: return "systemd-resolved"
            case .file(let path): return path
            }
        } catch {
            throw .dns(error)
        }
    }
}
