internal import JSON
internal import LinuxSystem
package import ProviderKit
package import TunnelModel

/// The provider `org.utunctl.loopback`: a tunnel whose far end is this process.
///
/// It needs no server and no secret, and fails in every way that its configuration asks for.
package final class LoopbackProvider: PacketTunnelProvider {
    private let session: ProviderSession
    private var configuration = LoopbackConfiguration()
    private var peers: [IPAddress] = []
    private var servers: [PacketServer] = []
    private var isConnected = false

    /// A provider that speaks through a session.
    package init(_ session: ProviderSession) {
        self.session = session
    }

    package func start(_ start: ProviderStart, _ descriptors: ProviderDescriptors) {
        do throws(JSONError) {
            configuration = try LoopbackConfiguration(start.configuration.providerConfiguration)
        } catch {
            let text = "providerConfiguration: \(error.text)"
            return session.failed(DisconnectReason(.providerRefused, text))
        }
        // One that did nothing would leave whoever gave it in the belief that it did.
        for option in start.options.sorted(by: { $0.key < $1.key })
        where !configuration.override(option.key, with: option.value) {
            let text = "--option \(option.key)=\(option.value): no such option, or no such value"
            return session.failed(DisconnectReason(.providerRefused, text))
        }
        if configuration.ignoreStop { SignalDescriptor.ignoreTermination() }
        scheduleFailure()
        applySettings(identifier: start.configuration.identifier, descriptors)
    }

    package func report() -> ProviderReport? {
        guard !configuration.silent else { return nil }
        var report = ProviderReport()
        if isConnected {
            let age = Int64(configuration.stalePeer ?? 0) * 1_000_000
            report.lastVerified = Timestamp(microseconds: Clock.wallMicroseconds - age)
        }
        report.details["peers"] = .array(
            peers.map { peer in
                var object = JSONObject()
                object["name"] = .string(peer.description)
                return .object(object)
            })
        report.details["answeredPackets"] = .integer(servers.reduce(0) { $0 + $1.answered })
        report.details["droppedPackets"] = .integer(servers.reduce(0) { $0 + $1.dropped })
        return report
    }

    package func reply(to data: String) -> String {
        data
    }

    package func stop(reason: DisconnectCode) {
        guard !configuration.ignoreStop else { return }
        session.stopped()
    }

    private func scheduleFailure() {
        guard let failure = configuration.fail else { return }
        session.loop.schedule(milliseconds: Int64(failure.after)) { [session] in
            session.failed(DisconnectReason(failure.code, "as providerConfiguration.fail asks"))
        }
    }

    private func applySettings(identifier: String, _ descriptors: ProviderDescriptors) {
        let settings = configuration.networkSettings(identifier: identifier)
        peers = configuration.peers(of: settings.addresses)
        session.apply(settings) { [unowned self] answer in
            switch answer {
            case .applied: connect(descriptors)
            // The host ends the session, by `stop`.
            case .rejected: break
            }
        }
    }

    private func connect(_ descriptors: ProviderDescriptors) {
        guard !configuration.hangOnStart else { return }
        guard let responder = PacketResponder(peerAddresses: peers.map(\.bytes)) else { return }
        do throws(SystemError) {
            while let queue = descriptors.takeQueue() {
                servers.append(try PacketServer(queue, responder, on: session.loop))
            }
        } catch {
            return session.failed(DisconnectReason(.internalError, error.text))
        }
        isConnected = true
        session.connected()
        if let signal = configuration.crashSignal { Fault(rawValue: signal)?.strike() }
    }
}
