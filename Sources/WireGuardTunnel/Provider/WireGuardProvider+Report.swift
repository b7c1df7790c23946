internal import JSON
internal import LinuxSystem
package import TunnelModel
internal import WireGuard

extension WireGuardProvider {
    package func report() -> ProviderReport? {
        guard let path else { return nil }
        var report = ProviderReport()
        let clocks = Clocks()
        var described: [JSONValue] = []
        described.reserveCapacity(peers.count)
        var publicKey = ""
        path.withDevice { device, _ in
            publicKey = device.local.publicKey.base64
            for peer in peers {
                device.withPeer(peer.number) { state in
                    if let verified = state.lastVerified.map(clocks.timestamp) {
                        report.lastVerified = max(report.lastVerified ?? verified, verified)
                    }
                    described.append(.object(Self.describe(peer, state, clocks)))
                }
            }
        }
        let role = sought.isEmpty ? "listening" : "client"
        report.details["role"] = .string(role)
        report.details["publicKey"] = .string(publicKey)
        report.details["listenPort"] = .integer(Int64(sockets.port))
        report.details["transport"] = .object(Self.describe(path.losses))
        report.details["peers"] = .array(described)
        return report
    }

    private static func describe(
        _ peer: PeerEntry, _ state: borrowing Peer, _ clocks: Clocks
    ) -> JSONObject {
        var object = JSONObject()
        object["name"] = .string(peer.configuration.trust)
        object["publicKey"] = .string(peer.publicKey.base64)
        object["endpoint"] = state.hasEndpoint ? .string(state.endpoint.text) : .null
        object["endpointName"] = peer.hostName.map { .string($0) } ?? .null
        object["lastHandshake"] = clocks.value(state.lastHandshake)
        object["lastVerified"] = clocks.value(state.lastVerified)
        object["verified"] = .bool(state.isProven)
        object["optional"] = .bool(peer.configuration.optional)
        object["receivedBytes"] = .integer(Int64(clamping: state.receivedBytes))
        object["sentBytes"] = .integer(Int64(clamping: state.sentBytes))
        object["allowedIPs"] = .array(
            peer.configuration.allowedIPs.map { .string($0.masked.description) })
        object["persistentKeepalive"] =
            peer.configuration.persistentKeepalive.map { .integer(Int64($0)) } ?? .null
        return object
    }

    private static func describe(_ losses: PathLosses) -> JSONObject {
        var object = JSONObject()
        object["countedBy"] = .string("provider")
        let counts: [(String, UInt64)] = [
            ("unroutedPackets", losses.drops.unrouted),
            ("malformedPackets", losses.counts.malformedPackets),
            ("untakenPackets", losses.untakenPackets),
            ("unsentMessages", losses.counts.unsentMessages),
            ("unknownMessages", losses.drops.unknown),
            ("forgedMessages", losses.drops.forged),
            ("replayedMessages", losses.drops.replayed),
            ("foreignSourcePackets", losses.drops.foreignSource),
            ("limitedHandshakes", losses.drops.limited),
        ]
        for (name, count) in counts { object[name] = .integer(Int64(clamping: count)) }
        return object
    }
}

/// Both clocks at one moment: ages are by CLOCK_BOOTTIME, people read the time of day.
struct Clocks {
    private let boot = Clock.bootNanoseconds
    private let wall = Clock.wallMicroseconds

    /// The time of day of a moment of CLOCK_BOOTTIME in nanoseconds.
    func timestamp(_ moment: Int64) -> Timestamp {
        Timestamp(microseconds: wall - (boot - moment) / 1000)
    }

    /// The same as a value of JSON.
    func value(_ moment: Int64?) -> JSONValue {
        moment.map { .string(timestamp($0).text) } ?? .null
    }

    /// Seconds and nanoseconds since 1970, as `wg` reads them.
    func parts(_ moment: Int64?) -> (seconds: Int64, nanoseconds: Int64) {
        guard let moment else { return (0, 0) }
        let microseconds = timestamp(moment).microseconds
        return (microseconds / 1_000_000, microseconds % 1_000_000 * 1000)
    }
}
