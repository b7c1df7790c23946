import TunnelModel

@testable import WireGuard

/// One end of a conversation: a device with one peer, and what came out of it.
final class Station {
    var device: Device
    let address: UInt8
    /// Where its messages come from, which may change.
    var endpoint: Endpoint
    /// The packets it was handed, the time of each by the clock of the conversation.
    var received: [(time: Int64, packet: [UInt8])] = []

    init(_ device: consuming Device, address: UInt8, endpoint: Endpoint) {
        self.device = device
        self.address = address
        self.endpoint = endpoint
    }

    var drops: Device.Drops { device.drops }
    var outgoing: [Device.OutgoingMessage] { device.outgoing }

    func canSend(at now: Int64) -> Bool { device.canSeal(0, now: now) }

    var peer: PeerView { device.withPeer(0) { PeerView($0) } }
}

/// What a test looks at of a peer.
struct PeerView {
    let endpoint: Endpoint
    let lastHandshake: Int64?
    let lastVerified: Int64?
    let isUnanswered: Bool
    let isProven: Bool
    let sentBytes: UInt64
    let hasKeys: Bool
    let attempts: Int

    init(_ peer: borrowing Peer) {
        endpoint = peer.endpoint
        lastHandshake = peer.lastHandshake
        lastVerified = peer.lastVerified
        isUnanswered = peer.isUnanswered
        isProven = peer.isProven
        sentBytes = peer.sentBytes
        hasKeys = peer.current != nil || peer.previous != nil || peer.next != nil
        attempts = peer.attempts
    }
}

/// Two devices, the network between them, and a clock that goes as fast as it is asked to.
final class Conversation {
    /// A message on its way.
    struct Flight {
        var bytes: [UInt8]
        var from: Endpoint
        var to: Endpoint
        var arrives: Int64
    }

    private(set) var now: Int64 = Timings.seconds(1000)
    let left: Station
    let right: Station
    /// Messages that were sent, in order, before the network did anything to them.
    var sent: [(time: Int64, fromLeft: Bool, bytes: [UInt8])] = []
    /// What the network makes of a message; nothing, one or several.
    var network: (Flight) -> [Flight] = { [$0] }
    private var flights: [Flight] = []
    private var random = SystemRandomNumberGenerator()

    init(
        timings: Timings = Timings(), livenessInterval: Int64 = 0, persistentKeepalive: Int64 = 0,
        presharedKeys: (UInt8, UInt8) = (7, 7), candidates: [Endpoint]? = nil
    ) throws {
        let clock = Clock()
        func make(_ key: UInt8, _ other: UInt8, _ shared: UInt8, _ address: UInt8, _ its: UInt8)
            throws
            -> Station
        {
            let suite = try CipherSuite()
            let local = LocalIdentity(privateKey: SecretKey(repeating: key), suite: suite)
            let environment = Device.Environment(
                random: { for index in $0.indices { $0[index] = .random(in: 0...255) } },
                wallClock: { clock.now + clock.step + Timings.seconds(1_700_000_000) })
            var device = try Device(local, timings: timings, environment: environment)
            let key = suite.publicKey(of: SecretKey(repeating: other))
            let remote = try RemoteIdentity(
                publicKey: key, presharedKey: SecretKey(repeating: shared), local: local)
            let allowed = [
                IPPrefix(address: IPAddress(v4: 0x0A00_0000 | UInt32(its)), length: 32)
            ].compactMap { $0 }
            _ = device.addPeer(
                remote, allowedAddresses: allowed,
                persistentKeepalive: address == 1 ? persistentKeepalive : 0,
                livenessInterval: address == 1 ? livenessInterval : 0)
            return Station(device, address: address, endpoint: Self.endpoint(address))
        }
        left = try make(1, 2, presharedKeys.0, 1, 2)
        right = try make(2, 1, presharedKeys.1, 2, 1)
        self.clock = clock
        left.device.setCandidates(candidates ?? [right.endpoint], of: 0)
    }

    /// Nanoseconds that somebody has set the wall clock on; less than zero is back.
    var wallClockStep: Int64 {
        get { clock.step }
        set { clock.step = newValue }
    }

    private final class Clock {
        var now: Int64 = 0
        var step: Int64 = 0
    }

    private let clock: Clock

    /// The endpoint of a station.
    static func endpoint(_ number: UInt8) -> Endpoint {
        Endpoint(IPAddress(v4: 0xC000_0200 | UInt32(number)), port: 51820)
    }

    /// A packet of IPv4 between two stations that holds some bytes.
    static func packet(from source: UInt8, to destination: UInt8, _ bytes: [UInt8]) -> [UInt8] {
        let length = 20 + bytes.count
        return [0x45, 0, UInt8(length >> 8), UInt8(length & 255), 0, 0, 0, 0, 64, 17, 0, 0]
            + [10, 0, 0, source, 10, 0, 0, destination] + bytes
    }

    /// Begins a handshake from the left.
    func connect() {
        left.device.connect(0, now: now)
        flush(left)
    }

    /// Has a station send a packet to the other.
    func send(_ bytes: [UInt8], from station: Station) {
        let packet = Self.packet(from: station.address, to: 3 - station.address, bytes)
        let number = packet.withUnsafeBytes { buffer in
            buffer.baseAddress.map { station.device.route($0, count: buffer.count) } ?? -1
        }
        guard number >= 0 else { return }
        if station.device.canSeal(number, now: now) {
            let padded = Device.paddedCount(packet.count, mtu: 1420)
            var message = [UInt8](repeating: 0, count: padded + Device.overhead)
            message.replaceSubrange(
                Device.headerBytes..<Device.headerBytes + packet.count, with: packet)
            message.withUnsafeMutableBytes { buffer in
                if let start = buffer.baseAddress {
                    station.device.seal(start, count: padded, for: number)
                }
            }
            station.device.dataSent(number, now: now)
            launch(message, station, to: station.peer.endpoint)
        } else {
            packet.withUnsafeBytes { station.device.stage($0, for: number, now: now) }
        }
        flush(station)
    }

    /// Lets time pass; what is due happens in its order.
    func run(seconds: Double) {
        let end = now + Int64(seconds * 1e9)
        while true {
            let next = min(
                min(left.device.nextTick, right.device.nextTick),
                flights.map(\.arrives).min() ?? .max)
            guard next <= end else { break }
            advance(to: max(now, next))
            let due = flights.filter { $0.arrives <= now }
            flights.removeAll { $0.arrives <= now }
            for flight in due { deliver(flight) }
            for station in [left, right] {
                if station.device.nextTick <= now { station.device.tick(now: now) }
                flush(station)
            }
        }
        advance(to: end)
    }

    /// Hands a message to whoever is there.
    func deliver(_ flight: Flight) {
        guard let station = [left, right].first(where: { isAt($0, flight.to) }) else { return }
        receive(flight.bytes, from: flight.from, at: station)
        flush(station)
    }

    /// Hands a message to a station, and answers whether a packet came out of it.
    @discardableResult
    func receive(_ bytes: [UInt8], from endpoint: Endpoint, at station: Station) -> Bool {
        var message = bytes
        let count = message.count
        let outcome = message.withUnsafeMutableBytes { buffer in
            buffer.baseAddress.map {
                station.device.receive($0, count: count, from: endpoint, now: now)
            } ?? .nothing
        }
        guard case .packet(let length) = outcome else { return false }
        let packet = Array(message[Device.headerBytes...].prefix(length))
        let own = Int(packet[2]) << 8 | Int(packet[3])
        station.received.append((now, Array(packet.prefix(own))))
        return true
    }

    private func isAt(_ station: Station, _ endpoint: Endpoint) -> Bool {
        station.endpoint.address == endpoint.address && station.endpoint.port == endpoint.port
    }

    func flush(_ station: Station) {
        let messages = station.device.outgoing
        station.device.outgoing = []
        for message in messages { launch(message.bytes, station, to: message.endpoint) }
    }

    private func launch(_ bytes: [UInt8], _ station: Station, to endpoint: Endpoint) {
        sent.append((now, station === left, bytes))
        let flight = Flight(
            bytes: bytes, from: station.endpoint, to: endpoint, arrives: now + 1_000_000)
        flights += network(flight)
    }

    private func advance(to time: Int64) {
        now = time
        clock.now = time
    }
}
