import TunnelModel
import WireGuard

/// The way from the peers that a device has to those of a changed configuration, worked out before
/// anything of it is done.
struct PeerChange {
    /// What becomes of one peer of the new configuration.
    private enum Step {
        case add(RemoteIdentity)
        /// It stays, with other keys where these differ.
        case keep(PeerEntry, RemoteIdentity?)
    }

    private var steps: [(peer: WireGuardConfiguration.Peer, key: PublicKey, step: Step)] = []
    private let removed: [PeerEntry]
    private let reader: PeerReader

    /// Reads all that the new peers refer to.
    init(
        from entries: [PeerEntry], to peers: [WireGuardConfiguration.Peer], _ reader: PeerReader,
        _ device: borrowing Device
    ) throws(DisconnectReason) {
        self.reader = reader
        let present = Dictionary(entries.map { ($0.publicKey, $0) }) { first, _ in first }
        var seen: Set<PublicKey> = []
        for peer in peers {
            let key = try reader.publicKey(of: peer)
            guard seen.insert(key).inserted else { throw PeerReader.unusableKey(of: peer) }
            let shared = try reader.presharedKey(of: peer)
            guard let entry = present[key] else {
                let remote = try reader.identity(of: peer, key, shared, device.local)
                steps.append((peer, key, .add(remote)))
                continue
            }
            let isSame = device.withPeer(entry.number) { $0.hasPresharedKey(shared) }
            let remote =
                isSame ? nil : try reader.identity(of: peer, key, shared, device.local)
            steps.append((peer, key, .keep(entry, remote)))
        }
        removed = entries.filter { !seen.contains($0.publicKey) }
    }

    /// Goes the way, and answers the peers that there are then; nothing can fail any more.
    ///
    /// Peers that stay keep their sessions, counters and timers. To new ones, and those that have
    /// moved, a handshake begins.
    func perform(_ device: inout Device, _ resolved: [String: [IPAddress]], now: Int64)
        -> [PeerEntry]
    {
        for entry in removed { device.removePeer(entry.number) }
        var entries: [PeerEntry] = []
        for (peer, key, step) in steps {
            let entry: PeerEntry
            switch step {
            case .add(let remote):
                let number = device.addPeer(
                    remote, allowedAddresses: [], persistentKeepalive: reader.keepalive(of: peer),
                    livenessInterval: reader.liveness(of: peer))
                guard let number else { continue }
                entry = PeerEntry(number: number, configuration: peer, publicKey: key)
                device.setCandidates(entry.candidates(among: resolved), of: number)
                if entry.isSought { device.connect(number, now: now) }
            case .keep(let former, let remote):
                entry = PeerEntry(number: former.number, configuration: peer, publicKey: key)
                keep(entry, insteadOf: former, remote, &device, resolved, now)
            }
            entries.append(entry)
        }
        device.setAllowedAddresses(
            entries.flatMap { entry in
                entry.configuration.allowedIPs.map { ($0, entry.number) }
            })
        return entries
    }

    private func keep(
        _ entry: PeerEntry, insteadOf former: PeerEntry, _ remote: RemoteIdentity?,
        _ device: inout Device, _ resolved: [String: [IPAddress]], _ now: Int64
    ) {
        let peer = entry.configuration
        device.setIntervals(
            of: entry.number, persistentKeepalive: reader.keepalive(of: peer),
            livenessInterval: reader.liveness(of: peer), now: now)
        if let remote { device.setKeys(remote, of: entry.number, now: now) }
        guard peer.endpoint != former.configuration.endpoint else { return }
        device.move(entry.number, to: entry.candidates(among: resolved), now: now)
    }
}
