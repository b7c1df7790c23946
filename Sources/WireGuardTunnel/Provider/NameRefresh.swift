import LinuxSystem
import ProviderKit
import TunnelModel

/// Has the host look again for names of peers that do not answer, one after the other.
final class NameRefresh {
    /// How long a name is not asked for again, in milliseconds.
    private static let spacing: Int64 = 10_000

    private let session: ProviderSession
    private let onAddresses: (String, [IPAddress]) -> Void
    private var waiting: [String] = []
    private var lastAsked: [String: Int64] = [:]
    private var isUnderWay = false

    /// Answers come to `onAddresses`; a look-up that fails has none.
    init(_ session: ProviderSession, _ onAddresses: @escaping (String, [IPAddress]) -> Void) {
        self.session = session
        self.onAddresses = onAddresses
    }

    /// Asks for a name, unless that was done a moment ago.
    func ask(_ name: String) {
        let now = Clock.bootNanoseconds
        if let last = lastAsked[name], now - last < Self.spacing * 1_000_000 { return }
        lastAsked[name] = now
        waiting.append(name)
        goOn()
    }

    private func goOn() {
        guard !isUnderWay, !waiting.isEmpty else { return }
        let name = waiting.removeFirst()
        isUnderWay = true
        session.resolve(name) { [weak self] addresses in
            guard let self else { return }
            isUnderWay = false
            if addresses.isEmpty {
                // Not left to a handshake that goes unanswered: without an address none begins.
                session.loop.schedule(milliseconds: Self.spacing) { [weak self] in
                    self?.ask(name)
                }
            } else {
                onAddresses(name, addresses)
            }
            goOn()
        }
    }
}
