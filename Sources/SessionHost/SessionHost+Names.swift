internal import LinuxSystem
internal import TunnelModel

extension SessionHost {
    private static let mostLookups = 4

    /// Resolves the server names of the configuration, as the first thing of a session.
    ///
    /// Of several servers one with an address is enough to begin with: the provider asks again
    /// for the others.
    func resolveNames() {
        noteResolved(
            Dictionary(configuration.serverLiterals.map { ($0.name, [$0.address]) }) { $1 })
        let names = configuration.serverNames
        guard !names.isEmpty else {
            return followServers { [weak self] in self?.handle(.namesResolved) }
        }
        let lookup = look(up: names, number: -1) { [weak self] outcome in
            guard let self else { return }
            self.note(outcome, ofNames: names.count)
            guard !self.resolved.isEmpty else {
                let unanswered = Array(outcome.failures.keys)
                return self.handle(
                    .resolutionFailed(
                        KnownServers.problem(ofUnanswered: unanswered, self.configuration)
                            ?? outcome.reason))
            }
            self.noteFailures(of: outcome)
            self.followServers { [weak self] in self?.handle(.namesResolved) }
        }
        if !resolved.isEmpty { lookup?.awaitOthers() }
    }

    /// Resolves names that a session has come to need; those without an answer the provider asks
    /// for again.
    func lookUp(_ names: [String], completion: @escaping () -> Void) {
        look(up: names, number: -2) { [weak self] outcome in
            self?.note(outcome, ofNames: names.count)
            self?.noteFailures(of: outcome)
            completion()
        }
    }

    private func note(_ outcome: NameResolution.Outcome, ofNames count: Int) {
        let most = Self.mostAddresses(ofEachOf: count)
        noteResolved(outcome.addresses.mapValues { Self.some(most, of: $0) })
    }

    private func noteFailures(of outcome: NameResolution.Outcome) {
        for (name, text) in outcome.failures.sorted(by: { $0.key < $1.key }) {
            log.note("no address of \(name) yet: \(text)")
        }
    }

    /// How many addresses a provider is told of each name, so that the line that tells it all
    /// of them keeps to the protocol.
    private static func mostAddresses(ofEachOf names: Int) -> Int {
        max(4, min(ResolverReply.mostAddresses, 4096 / names))
    }

    /// So many of some addresses, of both families alike.
    private static func some(_ count: Int, of addresses: [IPAddress]) -> [IPAddress] {
        guard addresses.count > count else { return addresses }
        let families = [IPAddress.Family.v4, .v6].map { family in
            addresses.filter { $0.family == family }
        }
        let v6 = min(families[1].count, max(count / 2, count - families[0].count))
        return Array(families[0].prefix(count - v6) + families[1].prefix(v6))
    }

    /// Resolves a name of the configuration again, because the provider asks for it.
    func resolveAgain(_ id: Int64, _ name: String) {
        // Each is a process: no number of them under way, and no rate, is the provider's to choose.
        guard running.serverNames.contains(name), lookups[id] == nil,
            lookups.count < Self.mostLookups,
            lookupRate.admits()
        else {
            let known = resolved[name] ?? []
            provider?.send(.resolved(id: id, name: name, addresses: known))
            return
        }
        // The resolvers may be others than before.
        followServers {}
        look(up: [name], number: id) { [weak self] outcome in
            guard let self else { return }
            self.noteResolved(outcome.addresses)
            // A look-up that fails leaves the addresses that were good before.
            let addresses = self.resolved[name] ?? []
            self.followServers { [weak self] in
                self?.provider?.send(.resolved(id: id, name: name, addresses: addresses))
            }
        }
    }

    @discardableResult
    private func look(
        up names: [String],
        number: Int64,
        _ completion: @escaping (NameResolution.Outcome) -> Void
    ) -> NameResolution? {
        do throws(DisconnectReason) {
            let milliseconds = NameResolution.milliseconds(within: configuration.startTimeout)
            let lookup = try outsideTunnel { () throws(DisconnectReason) in
                try NameResolution(
                    names, within: milliseconds, layout, without: broughtServers, on: loop
                ) { [weak self] outcome in
                    self?.endLookup(number)
                    completion(outcome)
                }
            }
            lookups[number] = lookup
            return lookup
        } catch {
            let failures = names.map { ($0, error.text) }
            completion(NameResolution.Outcome(failures: Dictionary(failures) { $1 }))
            return nil
        }
    }

    // It is in the middle of its own handler: it goes when the loop comes round.
    private func endLookup(_ number: Int64) {
        loop.schedule(milliseconds: 0) { [weak self] in self?.lookups[number] = nil }
    }
}
