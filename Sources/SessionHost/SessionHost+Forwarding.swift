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

    /// What has this host forward packets to and from the tunnel, where the configuration asks for
    /// it.
    ///
    /// First the firewall has to know the links, which then forward nothing else; then it is made.
    func forwarding(_ settings: EffectiveSettings) throws(NetlinkError) -> Forwarding {
        var forwarding = Forwarding(links: forwardingLinks, of: interface.index)
        guard configuration.routing.forward else { return forwarding }
        let links = try interface.kernel.links().filter { !$0.isLoopback }
        if record.hasBecomeRouter {
            forwarding.links[.v4] = []
        } else {
            forwarding.addIPv4(links)
        }
        if settings.addresses.contains(where: { $0.family == .v6 }) {
            forwarding.addIPv6(links)
        }
        return forwarding
    }

    /// Makes this host forward; what stands against it, if anything.
    func make(_ forwarding: Forwarding) -> SettingsRejection? {
        do throws(SystemError) {
            if !forwarding.links[.v4].isEmpty, !record.hasMadeRouter {
                let setting = KernelSetting(RecordedChange.forwardingOfHost)
                record.hasMadeRouter = try setting.read() == "0"
            }
            for setting in forwarding.settings {
                do throws(SystemError) {
                    if setting.isOwn {
                        try KernelSetting(setting.path).write(setting.value)
                    } else {
                        try set(setting.path, to: setting.value)
                    }
                } catch {
                    // Gone meanwhile.
                    guard error.errno == ENOENT else { throw error }
                }
            }
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
            case .linkRemoved, .routeAdded, .routeRemoved, .ruleAdded, .ruleRemoved,
                .otherRuleChanged:
                continue
            }
        }
        guard haveChanged, let firewall else { return }
        var surroundings = interface.surroundings
        if let networks = try? interface.linkNetworks() { surroundings.linkNetworks = networks }
        guard let forwarding = try? forwarding(settings) else { return }
        forwardingLinks = forwarding.links
        firewall.update {
            $0.localNetworks = surroundings.localNetworks
            $0.forwardingLinks = forwarding.links
        } completion: { [weak self] failure in
            guard failure == nil, let self, !isEnding else { return }
            if let problem = make(forwarding) { log.note(problem.text) }
        }
    }
}
