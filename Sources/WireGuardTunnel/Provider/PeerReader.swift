import ProviderKit
import TunnelModel
import WireGuard

/// Reads what peers refer to: public keys by trust, secrets by the files that the host has opened.
struct PeerReader {
    /// The proof of a peer is good for 180 s, and each attempt to renew it has its time too.
    private static let longestLiveness: UInt32 = 150

    private let anchors: [String: TrustAnchor]
    private let descriptors: ProviderDescriptors
    private let livenessInterval: UInt32?

    init(
        _ configuration: Configuration, _ trust: [TrustAnchor], _ descriptors: ProviderDescriptors
    ) {
        anchors = Dictionary(trust.map { ($0.name, $0) }) { first, _ in first }
        self.descriptors = descriptors
        livenessInterval = configuration.livenessInterval
    }

    /// The public key of a peer's anchor.
    func publicKey(of peer: WireGuardConfiguration.Peer) throws(DisconnectReason) -> PublicKey {
        guard let anchor = anchors[peer.trust], anchor.kind == .wireguard,
            let publicKey = PublicKey(base64: anchor.value)
        else {
            throw DisconnectReason(.trustAnchorMissing, "no public key for \(peer.trust)")
        }
        return publicKey
    }

    /// The preshared key of a peer, once; zeros where it has none.
    func presharedKey(of peer: WireGuardConfiguration.Peer) throws(DisconnectReason) -> SecretKey {
        guard let name = peer.presharedKey else { return SecretKey() }
        return try Self.key(name, descriptors)
    }

    /// A peer with its keys, as a device knows it.
    func identity(
        of peer: WireGuardConfiguration.Peer, _ publicKey: PublicKey,
        _ presharedKey: consuming SecretKey, _ local: LocalIdentity
    ) throws(DisconnectReason) -> RemoteIdentity {
        do throws(HandshakeError) {
            return try RemoteIdentity(
                publicKey: publicKey, presharedKey: presharedKey, local: local)
        } catch {
            throw Self.unusableKey(of: peer)
        }
    }

    /// How often a peer is spoken to, in nanoseconds.
    func keepalive(of peer: WireGuardConfiguration.Peer) -> Int64 {
        Timings.seconds(Int64(peer.persistentKeepalive ?? 0))
    }

    /// How often a peer is asked for a proof, in nanoseconds.
    func liveness(of peer: WireGuardConfiguration.Peer) -> Int64 {
        guard peer.endpoint != nil, let livenessInterval else { return 0 }
        return Timings.seconds(Int64(min(livenessInterval, Self.longestLiveness)))
    }

    static func unusableKey(of peer: WireGuardConfiguration.Peer) -> DisconnectReason {
        DisconnectReason(
            .providerRefused, "the public key of \(peer.trust) is none, or that of another peer")
    }

    /// The key in the file of a credential.
    static func key(_ name: String, _ descriptors: ProviderDescriptors) throws(DisconnectReason)
        -> SecretKey
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
}
