internal import LinuxSystem
package import ProviderKit
package import TunnelModel
internal import WireGuard

/// The provider `org.utunctl.wireguard`: the protocol in user space, over the TUN and the sockets
/// that the host hands out.
package final class WireGuardProvider: PacketTunnelProvider {
    let session: ProviderSession
    var path: TunnelPath?
    var peers: [PeerEntry] = []
    /// Those that the tunnel is to prove that it reaches.
    private(set) var sought: [PeerEntry] = []
    var connection = Connection.waiting
    var sockets = TunnelSockets()
    private var interface: UserspaceInterface?
    /// Of the interface, in bytes; what it is until the host says otherwise.
    private var mtu = 0
    private var names: NameRefresh?
    /// Addresses of peers that the host knows of from us.
    private var told: Set<IPAddress> = []
    private var peersOfName: [String: [Int]] = [:]

    /// A provider that speaks through a session.
    package init(_ session: ProviderSession) {
        self.session = session
    }

    package func start(_ start: ProviderStart, _ descriptors: ProviderDescriptors) {
        do throws(DisconnectReason) {
            let setup = try TunnelSetup(start, descriptors)
            mtu = Int(start.interface.mtu)
            for notice in setup.notices { session.log(.warning, notice) }
            let opening = TunnelOpening(setup, session) { [self] outcome in
                switch outcome {
                case .ready(let sockets): run(setup, start, sockets)
                case .failed(let reason): session.failed(reason)
                // The host ends the session, by `stop`.
                case .rejected: break
                }
            }
            opening.begin()
        } catch {
            session.failed(error)
        }
    }

    package func stop(reason: DisconnectCode) {
        session.stopped()
    }

    package func reply(to data: String) -> String {
        ""
    }

    package func pathChanged(_ path: UnderlyingPath) {
        session.log(.info, "the way to the peers has changed: \(path.text)")
        // Without a way a handshake would only be lost; the next change brings one.
        guard path.isUsable else { return }
        seekPeers()
    }

    package func wake() {
        // Sessions may be over, and addresses others: what has come is no proof of what will.
        session.log(.info, "the system has slept: the peers are sought anew")
        seekPeers()
    }

    private func seekPeers() {
        path?.withDevice { [peers] device, now in
            for peer in peers { device.pathChanged(peer.number, seeks: peer.isSought, now: now) }
        }
    }

    package func interfaceChanged(mtu: UInt32) {
        self.mtu = Int(mtu)
        path?.setMTU(Int(mtu))
    }

    private func run(_ setup: TunnelSetup, _ start: ProviderStart, _ sockets: TunnelSockets) {
        self.sockets = sockets
        peers = setup.peers
        sought = peers.filter(\.isSought)
        for (index, peer) in peers.enumerated() {
            if let name = peer.hostName { peersOfName[name, default: []].append(index) }
        }
        names = NameRefresh(session) { [unowned self] in take($1, of: $0) }
        guard let queue = setup.takeQueue(), let device = setup.takeDevice() else {
            return session.failed(DisconnectReason(.internalError, "the host gave no TUN queue"))
        }
        let ability = Offloads.enable(queue.raw, sockets) { session.log(.info, $0) }
        do throws(SystemError) {
            let path = try TunnelPath(
                device, queue: queue, sockets: sockets, mtu: mtu, ability: ability,
                on: session.loop)
            path.onSegmentationRefused = { [unowned self] in
                session.log(.info, Offloads.segmentationNotice($0))
            }
            path.onNews = { [unowned self] in lookAtPeers() }
            path.onGone = { [unowned self] in loseQueue($0) }
            self.path = path
            if let listener = setup.takeControlSocket() {
                interface = try UserspaceInterface(listener, on: session.loop) { [unowned self] in
                    UserspaceReport.text(self)
                }
            }
        } catch {
            return session.failed(DisconnectReason(.internalError, error.text))
        }
        giveUp(after: start.configuration.startTimeout)
        connect(start.resolved)
    }

    // An interface that is gone the host sees for itself, and says so better.
    private func loseQueue(_ error: CInt) {
        session.loop.schedule(milliseconds: 1000) { [session] in
            let text = "the TUN: \(SystemError.reason(of: error))"
            session.failed(DisconnectReason(.internalError, text))
        }
    }

    private func connect(_ resolved: [String: [IPAddress]]) {
        path?.withDevice { [sought] device, now in
            for peer in sought {
                let addresses = peer.hostName.flatMap { resolved[$0] } ?? []
                device.setCandidates(peer.candidates(addresses), of: peer.number)
                device.connect(peer.number, now: now)
            }
        }
        lookAtPeers()
        for peer in sought {
            // What did not resolve at the start may do so later.
            if let name = peer.hostName, resolved[name]?.isEmpty ?? true { names?.ask(name) }
        }
    }

    private func take(_ addresses: [IPAddress], of name: String) {
        path?.withDevice { [peers, peersOfName] device, now in
            for index in peersOfName[name] ?? [] {
                let peer = peers[index]
                let wasKnown = device.withPeer(peer.number) { $0.hasEndpoint }
                device.setCandidates(peer.candidates(addresses), of: peer.number)
                if !wasKnown { device.connect(peer.number, now: now) }
            }
        }
    }

    /// Tells the host what the peers prove and where they are, and looks for those that are
    /// silent.
    private func lookAtPeers() {
        guard let path else { return }
        tellWherePeersAre(path)
        var isProven = sought.isEmpty
        var silent: [PeerEntry] = []
        path.withDevice { device, _ in
            for peer in sought {
                device.withPeer(peer.number) { state in
                    if state.isProven { isProven = true }
                    if state.isRepeating { silent.append(peer) }
                }
            }
        }
        switch connection.update(isProven: isProven) {
        case .connected:
            session.connected()
        case .reasserting: session.reasserting(reason: "no answer from \(Self.names(of: sought))")
        case .none: break
        }
        for name in Set(silent.compactMap(\.hostName)) { names?.ask(name) }
    }

    // An address that a route of the tunnel holds: the host has to keep our packets out of it.
    private func tellWherePeersAre(_ path: TunnelPath) {
        var addresses: Set<IPAddress> = []
        path.withDevice { device, _ in
            for peer in peers {
                let endpoint = device.withPeer(peer.number) { $0.hasEndpoint ? $0.endpoint : nil }
                if let endpoint, device.isAllowed(endpoint) { addresses.insert(endpoint.address) }
            }
        }
        let news = addresses.subtracting(told)
        guard !news.isEmpty else { return }
        // Not for ever: what was told long ago may be told again.
        told = told.count > 10_000 ? addresses : told.union(news)
        session.sends(to: news.sorted { $0.number < $1.number })
    }

    // The host would only know that nothing came of it; this side knows what was tried.
    private func giveUp(after seconds: UInt32) {
        let milliseconds = max(500, Int64(seconds) * 1000 - 250)
        session.loop.schedule(milliseconds: milliseconds) { [weak self] in
            guard let self, connection == .waiting else { return }
            session.failed(whyNotConnected)
        }
    }

    /// What the protocol lets one know: an answer that does not open comes of a preshared key,
    /// as a peer to which the keys are unknown is silent.
    private var whyNotConnected: DisconnectReason {
        var answering: [PeerEntry] = []
        path?.withDevice { [sought] device, _ in
            for peer in sought {
                device.withPeer(peer.number) { state in
                    if state.unopenedAnswers > 0 { answering.append(peer) }
                }
            }
        }
        guard answering.isEmpty else {
            return DisconnectReason(
                .authenticationFailed,
                "\(Self.names(of: answering)) answers, and the answer does not open: the preshared"
                    + " keys of the two ends differ (here \(Self.presharedKeys(of: answering))), or"
                    + " somebody on the way forges answers")
        }
        return DisconnectReason(
            .serverNotResponding,
            "no answer from \(Self.names(of: sought)); WireGuard answers nobody whose key it does"
                + " not know, nor a clock that is behind what it has seen, so that the address, a"
                + " firewall, the keys of either end or this host's clock may be wrong")
    }

    /// Whether this end has one, which an end without one does not show.
    private static func presharedKeys(of entries: [PeerEntry]) -> String {
        let count = entries.count { $0.configuration.presharedKey != nil }
        return count == entries.count
            ? "there is one" : count == 0 ? "there is none" : "some have one"
    }

    private static func names(of entries: [PeerEntry]) -> String {
        let names = entries.prefix(3).map { peer in
            let endpoint = peer.configuration.endpoint.map { " (\($0.text))" } ?? ""
            return peer.configuration.trust + endpoint
        }
        let rest = entries.count > 3 ? " and \(entries.count - 3) more" : ""
        return "\(names.joined(separator: ", "))\(rest)"
    }
}
