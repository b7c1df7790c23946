import JSON
import LinuxSystem
import ProviderKit
import TunnelModel
import WireGuard

/// A tunnel as it was configured, ready to run: keys read, peers known to the device.
final class TunnelSetup {
    let settings: NetworkSettings
    let configuration: WireGuardConfiguration
    let peers: [PeerEntry]
    let listenPort: UInt16
    /// What is worth a line of the log.
    private(set) var notices: [String] = []

    private var device: Device?
    private let descriptors: ProviderDescriptors

    /// Reads all that the host hands over; keys of files that hold none fail by name.
    init(_ start: ProviderStart, _ descriptors: ProviderDescriptors) throws(DisconnectReason) {
        let configuration = start.configuration
        let wireGuard: WireGuardConfiguration
        do throws(JSONError) {
            wireGuard = try WireGuardConfiguration(configuration.providerConfiguration)
        } catch {
            throw DisconnectReason(.providerRefused, "providerConfiguration: \(error.text)")
        }
        self.descriptors = descriptors
        self.configuration = wireGuard
        settings = wireGuard.networkSettings(under: configuration)
        listenPort = wireGuard.listenPort ?? 0
        if let option = start.options.keys.min() {
            throw DisconnectReason(.providerRefused, "--option \(option): it has no options")
        }
        let environment = Device.Environment(
            random: { Random.fill($0) }, wallClock: { Clock.wallMicroseconds * 1000 })
        let privateKey = try PeerReader.key("privateKey", descriptors)
        var device: Device
        do throws(CryptographyError) {
            let local = LocalIdentity(privateKey: privateKey, suite: try CipherSuite())
            device = try Device(local, environment: environment)
        } catch {
            throw DisconnectReason(.internalError, error.text)
        }
        let reader = PeerReader(configuration, start.trust, descriptors)
        peers = try Self.addPeers(wireGuard.peers, reader, to: &device)
        if !SecretMemory.isLocked {
            notices.append("keys may be swapped out: RLIMIT_MEMLOCK is too small to lock them")
        }
        self.device = consume device
    }

    /// The device, once.
    func takeDevice() -> Device? { device.take() }

    /// The queue of the TUN, once.
    func takeQueue() -> FileDescriptor? { descriptors.takeQueue() }

    /// Where `wg` asks, where the host has made it.
    func takeControlSocket() -> FileDescriptor? { descriptors.takeControlSocket() }

    private static func addPeers(
        _ peers: [WireGuardConfiguration.Peer], _ reader: PeerReader, to device: inout Device
    ) throws(DisconnectReason) -> [PeerEntry] {
        var entries: [PeerEntry] = []
        entries.reserveCapacity(peers.count)
        for peer in peers {
            let publicKey = try reader.publicKey(of: peer)
            let remote = try reader.identity(
                of: peer, publicKey, try reader.presharedKey(of: peer), device.local)
            let number = device.addPeer(
                remote, allowedAddresses: peer.allowedIPs,
                persistentKeepalive: reader.keepalive(of: peer),
                livenessInterval: reader.liveness(of: peer))
            guard let number else { throw PeerReader.unusableKey(of: peer) }
            entries.append(PeerEntry(number: number, configuration: peer, publicKey: publicKey))
        }
        return entries
    }
}
