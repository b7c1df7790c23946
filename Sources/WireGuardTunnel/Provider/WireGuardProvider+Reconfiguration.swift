internal import JSON
package import ProviderKit
package import TunnelModel
internal import WireGuard

extension WireGuardProvider {
    /// Goes over to other peers; those that stay notice nothing of it.
    package func reconfigure(_ change: ProviderChange, _ descriptors: ProviderDescriptors)
        throws(ReconfigurationRefusal)
    {
        let new: WireGuardConfiguration
        do throws(JSONError) {
            new = try WireGuardConfiguration(change.configuration.providerConfiguration)
        } catch {
            throw ReconfigurationRefusal("providerConfiguration: \(error.text)")
        }
        guard let path, let former = configuration else {
            throw ReconfigurationRefusal("it has not begun yet")
        }
        try Self.refuseFurther(from: former, to: new)
        let reader = PeerReader(change.configuration, change.trust, descriptors)
        let refusal = path.withDevice { device, now -> ReconfigurationRefusal? in
            do throws(DisconnectReason) {
                // A file that was written anew may hold what it held.
                let privateKey = try PeerReader.key("privateKey", descriptors)
                guard device.local.hasPrivateKey(privateKey) else {
                    return ReconfigurationRefusal(
                        keys: ["credentials.privateKey"], "it holds another key than before")
                }
                let way = try PeerChange(from: peers, to: new.peers, reader, device)
                // Before anybody looks at what has become of them.
                setPeers(way.perform(&device, change.resolved, now: now))
                return nil
            } catch {
                return ReconfigurationRefusal(error.text)
            }
        }
        if let refusal { throw refusal }
        configuration = new
        lookAtPeers()
        askForNames(missingIn: change.resolved)
    }

    /// Refuses what the device and its sockets were made with.
    private static func refuseFurther(
        from former: WireGuardConfiguration, to new: WireGuardConfiguration
    ) throws(ReconfigurationRefusal) {
        var keys: [String] = []
        if new.addresses != former.addresses { keys.append("providerConfiguration.addresses") }
        if new.listenPort != former.listenPort { keys.append("providerConfiguration.listenPort") }
        guard keys.isEmpty else {
            throw ReconfigurationRefusal(keys: keys, "it was made with these")
        }
    }
}
