internal import LinuxSystem
internal import TunnelModel

extension SessionHost {
    private static let mostLookups = 4

    /// Resolves the server names of the configuration, as the first thing of a session.
    func resolveNames() {
        noteResolved(
            Dictionary(configuration.serverLiterals.map { ($0.name, [$0.address]) }) { $1 })
        let names = configuration.serverNames
        guard !names.isEmpty else { return handle(.namesResolved) }
        look(up: names, number: -1) { [weak self] outcome in
            guard let self else { return }
            switch outcome {
            case .success(let addresses):
                self.noteResolved(addresses)
                self.handle(.namesResolved)
            case .failure(let reason): self.handle(.resolutionFailed(reason.text))
            }
        }
    }

    /// Resolves a name of the configuration again, because the provider asks for it.
    func resolveAgain(_ id: Int64, _ name: String) {
        // Each is a process: no number of them under way, and no rate, is the provider's to choose.
        guard configuration.serverNames.contains(name), lookups[id] == nil,
            lookups.count < Self.mostLookups, lookupRate.admits()
        else {
            let known = resolved[name] ?? []
            provider?.send(.resolved(id: id, name: name, addresses: known))
            return
        }
        look(up: [name], number: id) { [weak self] outcome in
            guard let self else { return }
            if case .success(let addresses) = outcome { self.noteResolved(addresses) }
            // A look-up that fails leaves the addresses that were good before.
            let addresses = self.resolved[name] ?? []
            self.provider?.send(.resolved(id: id, name: name, addresses: addresses))
        }
    }

    private func look(
        up names: [String],
        number: Int64,
        _ completion: @escaping (NameResolution.Outcome) -> Void
    ) {
        do throws(DisconnectReason) {
            let milliseconds = NameResolution.milliseconds(within: configuration.startTimeout)
            lookups[number] = try NameResolution(
                names, within: milliseconds, layout, on: loop
            ) { [weak self] outcome in
                self?.endLookup(number)
                completion(outcome)
            }
        } catch {
            completion(.failure(error))
        }
    }

    // It is in the middle of its own handler: it goes when the loop comes round.
    private func endLookup(_ number: Int64) {
        loop.schedule(milliseconds: 0) { [weak self] in self?.lookups[number] = nil }
    }
}
