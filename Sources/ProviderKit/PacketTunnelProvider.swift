package import TunnelModel

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

    /// The system is about to sleep.
    func sleep()

    /// The system has woken up.
    func wake()

    /// Ends the session, by `stopped` of the `ProviderSession`.
    func stop(reason: DisconnectCode)
}

extension PacketTunnelProvider {
    package func pathChanged(_: UnderlyingPath) {}

    package func sleep() {}

    package func wake() {}
}
