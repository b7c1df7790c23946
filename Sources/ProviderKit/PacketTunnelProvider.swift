package import TunnelModel

/// Why a provider takes no change while it runs.
package struct ReconfigurationRefusal: Error, Equatable, Sendable {
    /// The keys that need a restart, if that is why.
    package let keys: [String]
    package let text: String

    package init(keys: [String] = [], _ text: String) {
        self.keys = keys
        self.text = text
    }
}

/// What a provider does when the session host speaks to it.
///
/// All calls come from the loop of the `ProviderSession`, one after the other, and must not
/// block.
package protocol PacketTunnelProvider: AnyObject {
    /// Begins the session; ends in `connected` or `failed` of the `ProviderSession`.
    func start(_ start: ProviderStart, _ descriptors: ProviderDescriptors)

    /// What there is to tell of the tunnel; `nil` leaves the question without an answer.
    func report() -> ProviderReport?

    /// The answer to a message for which the host is only the carrier.
    func reply(to data: String) -> String

    /// The tunnel's own packets leave the host by another way than before, or by none.
    func pathChanged(_ path: UnderlyingPath)

    /// The interface has another MTU than was told before.
    func interfaceChanged(mtu: UInt32)

    /// The system is about to sleep.
    func sleep()

    /// The system has woken up.
    func wake()

    /// The configuration has changed in keys that the manifest names: takes all of it, or nothing.
    func reconfigure(_ change: ProviderChange, _ descriptors: ProviderDescriptors)
        throws(ReconfigurationRefusal)

    /// Ends the session, by `stopped` of the `ProviderSession`.
    func stop(reason: DisconnectCode)
}

extension PacketTunnelProvider {
    package func pathChanged(_: UnderlyingPath) {}

    package func interfaceChanged(mtu: UInt32) {}

    package func sleep() {}

    package func wake() {}

    package func reconfigure(_: ProviderChange, _: ProviderDescriptors)
        throws(ReconfigurationRefusal)
    {
        throw ReconfigurationRefusal("this provider takes no change while it runs")
    }
}
