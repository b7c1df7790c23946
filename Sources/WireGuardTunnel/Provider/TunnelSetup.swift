import JSON
import LinuxSystem
import ProviderKit
import TunnelModel
import WireGuard

/// A tunnel as it was configured, ready to run: keys read, peers known to the device.
final class TunnelSetup {
    let settings: NetworkSettings
    let peers: [PeerEntry]
    let listenPort: UInt16
    /// What is worth a line of the log.
    private(set) var notices: [String] = []

    private var device: Device?
    private let descriptors: ProviderDescriptors

    /// The proof of a peer is good for 180 s, and each attempt to renew it has its time too.
    private static let longestLiveness: UInt32 = 150

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
        settings = wireGuard.networkSettings(under: configuration)
        listenPort = wireGuard.listenPort ?? 0
        for option in start.options.keys.sorted() {
            notices.append("there is no option \(option)")
        }
        let environment = Device.Environment(
            random: { Random.fill($0) }, wallClock: { Clock.wallMicroseconds * 1000 })
        let privateKey = try Self.key("privateKey", descriptors)
        var device: Device
        do throws(CryptographyError) {
            let local = LocalIdentity(privateKey: privateKey, suite: try CipherSuite())
            device = try Device(local, environment: environment)
        } catch {
            throw DisconnectReason(.internalError, error.text)
        }
        peers = try Self.addPeers(wireGuard.peers, start, descriptors, to: &device)
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
        _ peers: [WireGuardConfiguration.Peer], _ start: ProviderStart,
        _ descriptors: ProviderDescriptors, to device: inout Device
    ) throws(DisconnectReason) -> [PeerEntry] {
        let anchors = Dictionary(start.trust.map { ($0.name, $0) }) { first, _ in first }
        var entries: [PeerEntry] = []
        entries.reserveCapacity(peers.count)
        for peer in peers {
            guard let anchor = anchors[peer.trust], anchor.kind == .wireguard,
                let publicKey = PublicKey(base64: anchor.value)
            else {
                throw DisconnectReason(.trustAnchorMissing, "no public key for \(peer.trust)")
            }
            let presharedKey =
                try peer.presharedKey.map { name throws(DisconnectReason) in
                    try key(name, descriptors)
                } ?? SecretKey()
            guard
                let remote = try? RemoteIdentity(
                    publicKey: publicKey, presharedKey: presharedKey, local: device.local),
                let number = device.addPeer(
                    remote, allowedAddresses: peer.allowedIPs,
                    persistentKeepalive: Timings.seconds(Int64(peer.persistentKeepalive ?? 0)),
                    livenessInterval: liveness(of: peer, start.configuration))
            else {
                throw DisconnectReason(
                    .providerRefused,
                    "the public key of \(peer.trust) is none, or that of another peer")
            }
            entries.append(PeerEntry(number: number, configuration: peer, publicKey: publicKey))
        }
        return entries
    }

    private static func key(_ name: String, _ descriptors: ProviderDescriptors)
        throws(DisconnectReason) -> SecretKey
    {
        guard let file = descriptors.takeCredential(named: name) else {
            throw DisconnectReason(.providerRefused, "the credential \(name) is missing")
        }
        guard let key = KeyFile.read(file) else {
            throw DisconnectReason(
                .providerRefused, "the credential \(name) is not one key in base64")
        }
        return key
    }

    private static func liveness(
        of peer: WireGuardConfiguration.Peer, _ configuration: Configuration
    ) -> Int64 {
        guard peer.endpoint != nil, let interval = configuration.livenessInterval else { return 0 }
        return Timings.seconds(Int64(min(interval, longestLiveness)))
    }
}
