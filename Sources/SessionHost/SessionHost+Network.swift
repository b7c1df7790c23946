internal import KernelNetwork
internal import LinuxSystem
internal import Preferences
internal import TunnelModel

// What a session sets in the kernel, and keeps there.

extension SessionHost {
    /// A name that has ever new addresses must not fill the memory.
    private static let mostServers = 10_000

    /// Remembers settings that a provider asked for, and lets the event happen.
    func handleSettings(id: Int64, _ settings: NetworkSettings) {
        guard !isApplyingSettings else { return waitingSettings.append((id, settings)) }
        askedSettings[id] = settings
        handle(.settingsAsked(id: id))
        askedSettings[id] = nil
    }

    /// Puts settings into force that a provider asked for, or says what stands against it.
    func applySettings(_ id: Int64) {
        guard let asked = askedSettings[id] else { return }
        let paths = outsideTunnel { interface.paths() }
        switch EffectiveSettings.derive(from: asked, for: configuration, paths: paths) {
        case .rejected(let reasons): reject(id, reasons)
        case .accepted(let settings):
            let usable = interface.hasIPv6 ? settings : settings.withoutIPv6
            guard !usable.addresses.isEmpty else {
                let text = "IPv6 is switched off on this host, and no IPv4 address is asked for"
                return reject(id, [SettingsRejection(key: "addresses", text: text)])
            }
            let former = interface.inForce.settings
            // Of two sessions that find at once that something is free only one may set it.
            let turn = takeTurn()
            let forwarding: Forwarding
            do throws(NetlinkError) {
                if let taken = try interface.addressTaken(of: usable.addresses, layout) {
                    return reject(id, [SettingsRejection(key: "addresses", text: taken.text)])
                }
                if let problem = try prepareReversePath(usable) { return reject(id, [problem]) }
                forwarding = try self.forwarding(usable)
                try interface.apply(usable)
                // Before it hears that they are in force: its first packets come then.
                tellMTU()
            } catch {
                let text = interface.holder(ofRouteIn: error, layout) ?? error.description
                return reject(id, [SettingsRejection(key: error.subject, text: text)])
            }
            _ = consume turn
            isApplyingSettings = true
            forwardingLinks = forwarding.links
            applyFirewall(usable) { [weak self] failure in
                self?.continueSettings(id, settings, usable, forwarding, former, failure)
            }
        }
    }

    /// The turn of one session among all of this root, for a moment; without the runtime directory
    /// there is none.
    func takeTurn() -> PassingLock? {
        try? PassingLock.take(
            "\(layout.runtimeDirectory)/.settings", until: .after(milliseconds: 5000))
    }

    /// Goes on with the resolver, unless the firewall is not there which the settings need.
    private func continueSettings(
        _ id: Int64,
        _ settings: EffectiveSettings,
        _ usable: EffectiveSettings,
        _ forwarding: Forwarding,
        _ former: EffectiveSettings?,
        _ failure: FirewallError?
    ) {
        if let failure {
            log.note("no firewall: \(failure.text)")
            if configuration.needsFirewall || countsOnReplyMarks {
                let text =
                    configuration.needsFirewall
                    ? "there is no firewall: \(failure.text)"
                    : "answers of the server would be dropped, as the reverse path is filtered"
                        + " strictly, and there is no firewall to mark them: \(failure.text)"
                return giveUp(id, former, SettingsRejection(key: "routing", text: text))
            }
            warnings.removeAll { $0.code == .firewallUnavailable }
            warnings.append(
                TunnelWarning(
                    .firewallUnavailable,
                    "packets to the tunnel's addresses that do not come by it are not dropped: "
                        + failure.text))
        }
        // Now that the firewall holds back what this is not for.
        if let problem = make(forwarding) { return giveUp(id, former, problem) }
        let inForce = Set(usable.addresses + usable.includedRoutes)
        leftOut = (settings.addresses + settings.includedRoutes).filter { prefix in
            !inForce.contains(prefix)
        }
        outlook.isStale = true
        lookAround()
        setResolver(usable.dns) { [weak self] failure in
            guard let failure else { self?.endSettings(id, nil); return }
            self?.giveUp(id, former, SettingsRejection(key: "dns", text: failure))
        }
    }

    /// Goes back to the settings before; at the first ones the session ends, and everything goes.
    private func giveUp(
        _ id: Int64,
        _ former: EffectiveSettings?,
        _ problem: SettingsRejection
    ) {
        if let former { try? interface.apply(former) }
        endSettings(id, problem)
    }

    /// Lets the event happen that settings are in force, or that they are not, and goes on to
    /// those that waited.
    private func endSettings(_ id: Int64, _ problem: SettingsRejection?) {
        isApplyingSettings = false
        if let problem { reject(id, [problem]) } else { handle(.settingsApplied(id: id)) }
        guard !waitingSettings.isEmpty else { return }
        let next = waitingSettings.removeFirst()
        handleSettings(id: next.id, next.settings)
    }

    /// Notes addresses of servers, whose routes have to lie where the provider's own packets
    /// do not meet them before it sends any.
    func noteResolved(_ addresses: [String: [IPAddress]]) {
        resolved.merge(addresses) { $1 }
        noteServers(addresses.values.joined())
    }

    /// Notes where the provider sends to beside the servers of the configuration, at most
    /// twenty times a second.
    func noteAnnounced(_ addresses: [IPAddress]) {
        announced = Array((announced + addresses).suffix(Self.mostServers))
        guard announcement == nil else { return }
        takeAnnounced()
        announcement = loop.schedule(milliseconds: 50) { [weak self] in
            self?.announcement = nil
            self?.takeAnnounced()
        }
    }

    private func takeAnnounced() {
        noteServers(announced)
        announced = []
    }

    private func noteServers(_ addresses: some Sequence<IPAddress>) {
        // What was an address of a server once may still be one: the provider knows it.
        var known = interface.servers.union(addresses)
        if known.count > Self.mostServers {
            known = Set(resolved.values.joined()).union(addresses)
        }
        guard known != interface.servers else { return }
        interface.servers = known
        // In a namespace of its own no route of the tunnel is in their way.
        guard outside == nil else { return followMTU() }
        var surroundings = interface.surroundings
        surroundings.servers = known
        adapt(to: surroundings)
        followMTU()
        // No change of the network: the provider knows of the servers.
        if outlook.path != nil, let path = try? interface.underlyingPath() { outlook.path = path }
        guard let settings = interface.inForce.settings else { return }
        if let problem = try? prepareReversePath(settings) { log.note(problem.text) }
        // A kill switch lets out to what the host itself has resolved, and no further.
        guard configuration.routing.mode != .all else { return }
        let endpoints = endpointsToMark
        firewall?.update { $0.endpoints = endpoints }
    }

    private func reject(_ id: Int64, _ reasons: [SettingsRejection]) {
        rejections = reasons
        let text = reasons.map { "\($0.key): \($0.text)" }.joined(separator: "; ")
        log.note("settings rejected: \(text)")
        handle(.settingsRejected(id: id, text: text))
    }

    /// Looks what the kernel tells of, and puts back what others took from the interface.
    func readKernelEvents() {
        let events: [NetworkEvent]
        do throws(NetlinkError) { events = try self.events.read() } catch {
            return log.note(error.description)
        }
        let concernsUs = events.contains { event in
            switch event {
            case .linkChanged(let link): link.index == interface.index
            case .linkRemoved(let index, _): index == interface.index
            case .addressRemoved(let index, _): index == interface.index
            case .routeRemoved(let route):
                route.interfaceIndex == interface.index
                    || TunnelTable.link(ofTable: route.table) == interface.index
            case .ruleRemoved(let rule): TunnelTable.link(of: rule) == interface.index
            case .overflow: true
            case .addressAdded, .routeAdded, .ruleAdded, .otherRuleChanged: false
            }
        }
        if concernsUs { scheduleConvergence() }
        noteSurroundings(events)
        followLinks(events)
    }

    // At once the first time; then no more than twenty times a second, so that a quarrel
    // with another program costs little.
    func scheduleConvergence() {
        guard convergence == nil else { return }
        converge()
        convergence = loop.schedule(milliseconds: 50) { [weak self] in
            self?.convergence = nil
            self?.converge()
        }
    }

    private func converge() {
        // What blocks the host holds to the very end.
        guard !isEnding || (hasBlock && status == .disconnecting) else { return }
        if !interface.converge() { handle(.interfaceRemoved) }
    }
}
