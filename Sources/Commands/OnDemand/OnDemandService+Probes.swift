internal import OnDemand

// The probes that rules ask for: one of each URL on a network.

extension OnDemandService {
    /// Has a probe made on this network, unless it is under way.
    func probe(_ url: String) {
        guard let link = record.network?.underlying else { return }
        let queue =
            probes
            ?? ProbeQueue(by: link.interface, context.layout, on: loop) {
                [weak self] url, outcome in
                self?.record.network?.probes[url] = outcome
                self?.turn()
            }
        probes = queue
        queue.ask(url)
    }
}
