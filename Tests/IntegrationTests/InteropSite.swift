import LinuxSystem
import TestSupport

/// A tunnel between this host, where the program under test stands, and a wireguard-go on
/// another.
final class InteropSite {
    /// Whose program serves the near end.
    enum Program: Sendable {
        /// The reference: shows that a test sees what it looks for.
        case wireguardGo
        case utunctl

        static let all: [Program] = [.wireguardGo, .utunctl]
        /// For what waits long for timers of the protocol, and has its probe in itself.
        static let ours: [Program] = [.utunctl]
    }

    /// Which end knows where the other is, and so begins.
    enum Initiator: CaseIterable, Sendable {
        case near, far, both
    }

    /// The network that carries the tunnel.
    enum Underlay: CaseIterable, Sendable {
        case v4, v6
    }

    /// How the tunnel is made.
    struct Plan {
        var initiator = Initiator.near
        var underlay = Underlay.v4
        var hasPresharedKey = false
        var nearKeepalive: Int?
        var hasRelay = false
        /// Changes to the configuration of our end: `PATH=VALUE`.
        var settings: [String] = []
        /// Whether the near end is brought up at once.
        var starts = true
        /// What else differs.
        var change: (_ near: inout WireGuardFile, _ far: inout WireGuardFile) throws -> Void = {
            _, _ in
        }
    }

    static let port: UInt16 = 51820
    static let nearAddress = "10.79.0.1"
    static let farAddress = "10.79.0.2"
    static let nearV6 = "fd00:79::1"
    static let farV6 = "fd00:79::2"

    let host: FarHost
    let relay: LossyRelay?
    let nearFile: WireGuardFile
    let farFile: WireGuardFile
    private(set) var far: WireGuardGo
    private(set) var near: any WireGuardEnd

    init(_ program: Program, _ change: (inout Plan) throws -> Void = { _ in }) throws {
        var plan = Plan()
        try change(&plan)
        host = try FarHost()
        relay = plan.hasRelay ? try Self.relay(host) : nil
        (nearFile, farFile) = try Self.files(plan, host, relay)
        far = try WireGuardGo(farFile, at: host.place)
        switch program {
        case .wireguardGo:
            near = try WireGuardGo(nearFile)
        case .utunctl:
            let tunnel = try EnrolledTunnel(
                nearFile, settings: ["interface.mtu=1420"] + plan.settings, at: Installation())
            near = tunnel
            if plan.starts { try tunnel.connect() }
        }
    }

    /// Our end, where it is ours.
    var tunnel: EnrolledTunnel {
        get throws {
            guard let tunnel = near as? EnrolledTunnel else {
                throw Unexpected("the near end is not ours")
            }
            return tunnel
        }
    }

    /// The relay, where there is one.
    var wire: LossyRelay {
        get throws {
            guard let relay else { throw Unexpected("no relay is planned") }
            return relay
        }
    }

    /// The far end crashes and comes back, knowing nothing of any session.
    func restartFar() throws {
        far.stop()
        far = try WireGuardGo(farFile, at: host.place)
    }

    /// The near end crashes or stops, and comes back.
    func restartNear() throws {
        switch near {
        case let reference as WireGuardGo:
            reference.stop()
            near = try WireGuardGo(nearFile)
        case let tunnel as EnrolledTunnel:
            let stop = try tunnel.site.utunctl("stop", tunnel.name)
            guard stop.status == 0 else { throw Unexpected("stop: \(stop)") }
            try tunnel.connect()
        default: break
        }
    }

    /// Whether both ends have taken part in a handshake, the far one saying so.
    func handshakeIsDone() throws -> Bool {
        try far.lastHandshake(with: nearFile.key.publicKey) > 0
    }

    private static func relay(_ host: FarHost) throws -> LossyRelay {
        try LossyRelay(
            at: host.nearV4, near: DatagramAddress(host.nearV4, port),
            far: DatagramAddress(host.v4, port))
    }

    private static func files(_ plan: Plan, _ host: FarHost, _ relay: LossyRelay?) throws
        -> (near: WireGuardFile, far: WireGuardFile)
    {
        let keys = (near: try WireGuardKey(), far: try WireGuardKey())
        let preshared = plan.hasPresharedKey ? try WireGuardKey.preshared() : nil
        let isV4 = plan.underlay == .v4
        let farEndpoint =
            relay.map { "\($0.forNear)" } ?? (isV4 ? "\(host.v4):\(port)" : "[\(host.v6)]:\(port)")
        let nearEndpoint =
            relay.map { "\($0.forFar)" }
            ?? (isV4 ? "\(host.nearV4):\(port)" : "[\(host.nearV6)]:\(port)")
        var near = WireGuardFile(
            key: keys.near, listenPort: Int(port),
            addresses: ["\(nearAddress)/24", "\(nearV6)/64"],
            peers: [
                WireGuardFile.Peer(
                    keys.far.publicKey, presharedKey: preshared,
                    endpoint: plan.initiator == .far ? nil : farEndpoint,
                    allowedIPs: ["\(farAddress)/32", "\(farV6)/128"],
                    keepalive: plan.nearKeepalive)
            ])
        var far = WireGuardFile(
            key: keys.far, listenPort: Int(port), addresses: ["\(farAddress)/24", "\(farV6)/64"],
            peers: [
                WireGuardFile.Peer(
                    keys.near.publicKey, presharedKey: preshared,
                    endpoint: plan.initiator == .near ? nil : nearEndpoint,
                    allowedIPs: ["\(nearAddress)/32", "\(nearV6)/128"])
            ])
        try plan.change(&near, &far)
        return (near, far)
    }
}
