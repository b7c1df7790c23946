internal import Glibc
internal import KernelNetwork
internal import LinuxSystem
internal import TunnelModel

// The settings of the kernel that go with the rules of a session's firewall, each taken back with
// the session.

extension SessionHost {
    /// Whether answers of servers arrive only because the firewall marks them.
    var countsOnReplyMarks: Bool {
        record.changes.contains { change in
            guard case .sysctl(let path, _, _) = change else { return false }
            return path.hasSuffix("/\(Self.markSetting)")
        }
    }

    private static let markSetting = "src_valid_mark"

    /// Has marks count in the reverse path where answers of servers would be dropped else, and
    /// filters what comes out of the tunnel; what stands against it, if anything.
    func prepareReversePath(_ settings: EffectiveSettings?) throws(NetlinkError)
        -> SettingsRejection?
    {
        do throws(SystemError) { try interface.filterReversePath() } catch {
            // In many containers /proc/sys may not be written.
            log.note("the reverse path of the tunnel is not filtered: \(error.text)")
        }
        let links = try interface.linksDroppingAnswers(settings, resolvers: askedResolvers)
        for (name, server) in links.sorted(by: { $0.key < $1.key }) {
            let problem: String
            do throws(SystemError) {
                try set("net/ipv4/conf/\(name)/\(Self.markSetting)", to: "1")
                guard firewall == nil else { continue }
                problem = "there is no firewall to mark them"
            } catch {
                problem = error.text
            }
            return SettingsRejection(
                key: "includedRoutes",
                text: "the answers of \(server) would be dropped, as the reverse path is filtered,"
                    + " and \(problem): sysctl net.ipv4.conf.\(name).rp_filter=2")
        }
        return nil
    }

    /// Has this host forward packets to and from the tunnel, where the configuration asks for it;
    /// what stands against it, if anything.
    func prepareForwarding(_ settings: EffectiveSettings) throws(NetlinkError)
        -> SettingsRejection?
    {
        guard configuration.routing.forward else { return nil }
        let links = try interface.kernel.links().filter { !$0.isLoopback }
        let hasIPv6 = settings.addresses.contains { $0.family == .v6 }
        do throws(SystemError) {
            for link in links { try forwardIPv4(link) }
            if hasIPv6 { try forwardIPv6(links) }
            return nil
        } catch {
            return SettingsRejection(
                key: "routing.forward", text: "this host cannot be made to forward: \(error.text)")
        }
    }

    /// Has links take part that came after the settings, and the firewall follow the networks
    /// that the links of this host are on.
    func followLinks(_ events: [NetworkEvent]) {
        let routing = configuration.routing
        guard !isEnding, routing.forward || routing.excludeLocalNetworks,
            let settings = interface.inForce.settings
        else { return }
        var haveChanged = false
        for event in events {
            switch event {
            case .linkChanged(let link): haveChanged = haveChanged || link.index != interface.index
            case .addressAdded(let index, _), .addressRemoved(let index, _):
                haveChanged = haveChanged || index != interface.index
            case .overflow: haveChanged = true
            case .linkRemoved, .routeAdded, .routeRemoved, .ruleAdded, .ruleRemoved: continue
            }
        }
        guard haveChanged else { return }
        if let problem = try? prepareForwarding(settings) { log.note(problem.text) }
        var surroundings = interface.surroundings
        if let networks = try? interface.linkNetworks() { surroundings.linkNetworks = networks }
        let forwarding = forwardingLinks
        firewall?.update {
            $0.localNetworks = surroundings.localNetworks
            $0.forwardingLinks = forwarding
        }
    }

    private func forwardIPv4(_ link: Link) throws(SystemError) {
        let path = "net/ipv4/conf/\(link.name)/forwarding"
        do throws(SystemError) {
            guard try KernelSetting(path).read() == "0" else { return }
            // The tunnel's own goes with its interface.
            guard link.index != interface.index else { return try KernelSetting(path).write("1") }
            try set(path, to: "1")
            forwardingLinks.insert(link.index)
        } catch {
            // Gone meanwhile.
            guard error.errno != ENOENT else { return }
            throw error
        }
    }

    /// Of IPv6 the kernel forwards either for all links or, since Linux 6.17, for those that
    /// are forced to.
    private func forwardIPv6(_ links: [Link]) throws(SystemError) {
        let all = KernelSetting("net/ipv6/conf/all/forwarding")
        guard try all.read() == "0" else { return }
        let forced = KernelSetting("net/ipv6/conf/\(interface.name)/force_forwarding")
        guard (try? forced.read()) != nil else { return try forwardAllIPv6(links) }
        try forced.write("1")
        for link in links where link.index != interface.index {
            let path = "net/ipv6/conf/\(link.name)/force_forwarding"
            guard (try? KernelSetting(path).read()) == "0" else { continue }
            try set(path, to: "1")
            forwardingLinks.insert(link.index)
        }
    }

    private func forwardAllIPv6(_ links: [Link]) throws(SystemError) {
        for link in links where link.index != interface.index {
            let router = KernelSetting("net/ipv6/conf/\(link.name)/accept_ra")
            // A host that forwards heeds no router unless it is told to: it would lose its way.
            if (try? router.read()) == "1" { try set(router.path, to: "2") }
            forwardingLinks.insert(link.index)
        }
        try set("net/ipv6/conf/all/forwarding", to: "1")
    }
}
