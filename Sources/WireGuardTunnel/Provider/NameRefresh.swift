import LinuxSystem
import ProviderKit
import TunnelModel

/// Has the host look again for names of peers that do not answer, one after the other.
final class NameRefresh {
    /// How long a name is not asked for again, in nanoseconds.
    private static let spacing: Int64 = 10_000_000_000

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
        if let last = lastAsked[name], now - last < Self.spacing { return }
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
            // A host that cannot answer now leaves what is known.
            if !addresses.isEmpty { onAddresses(name, addresses) }
            goOn()
        }
    }
}
