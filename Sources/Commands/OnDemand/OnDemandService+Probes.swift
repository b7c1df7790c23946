internal import OnDemand
internal import TunnelModel

// The probes that rules ask for: one of each URL on a network.

extension OnDemandService {
    /// Begins a probe, unless it is under way.
    func probe(_ url: String) {
        guard probes[url] == nil, let link = record.network?.underlying else { return }
        probes[url] = ProbeRun(url, by: link.interface, context.layout, on: loop) {
            [weak self] outcome in
            self?.end(url, outcome)
        }
    }

    private func end(_ url: String, _ outcome: ProbeOutcome) {
        probes[url] = nil
        record.network?.probes[url] = outcome
        turn()
    }

    /// Whether a rule still has a use for the answer.
    func isAsked(_ url: String, by armed: [Configuration]) -> Bool {
        armed.contains { $0.onDemand.rules.contains { $0.probeURL == url } }
    }
}
