/// How On Demand stands to a tunnel.
package enum OnDemandState: String, CaseIterable, Sendable {
    /// The service does not run: nothing starts or stops it.
    case notRunning
    /// On Demand as a whole is paused.
    case paused
    /// A person has stopped it, or paused On Demand for it.
    case held
    /// It is as the rules want it, or on its way there.
    case following
    /// There is no network: nothing is done until there is one.
    case noNetwork
    /// A rule waits for the answer to its probe.
    case probing
    /// A person has started it where the rules want it down: it stays until the network changes.
    case overruled
    /// It ended for want of traffic, and cannot wait for more: it stays down until the network
    /// changes.
    case idle
    /// It failed, was started too often, or ended for a sleep of the system, and is tried again
    /// later.
    case retrying
    /// It failed too often: nothing is tried until the network changes or a person acts.
    case suspended
}
