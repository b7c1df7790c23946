import LinuxSystem
import ProviderKit
import TunnelModel

/// Asks the host for settings and sockets, all at once, and waits for all the answers.
final class TunnelOpening {
    /// What came of it.
    enum Outcome {
        case ready(TunnelSockets)
        /// The host did not want the settings, and says so itself.
        case rejected
        case failed(DisconnectReason)
    }

    private let setup: TunnelSetup
    private let session: ProviderSession
    private var completion: ((Outcome) -> Void)?
    private let sockets = TunnelSockets()
    private var refusals: [SocketRefusal] = []
    private var awaited = 3

    init(
        _ setup: TunnelSetup, _ session: ProviderSession,
        _ completion: @escaping (Outcome) -> Void
    ) {
        self.setup = setup
        self.session = session
        self.completion = completion
    }

    /// Asks; the completion is called once.
    func begin() {
        session.apply(setup.settings) { [self] answer in
            guard answer == .applied else { return end(.rejected) }
            arrived()
        }
        for family in ProviderMessage.SocketRequest.Family.allCases {
            let request = ProviderMessage.SocketRequest(
                family: family, transport: .datagram, port: setup.listenPort)
            session.openSocket(request) { [self] result in
                switch consume result {
                case .success(let socket): sockets.add(socket)
                case .failure(let refusal): refusals.append(refusal)
                }
                arrived()
            }
        }
    }

    private func arrived() {
        awaited -= 1
        guard awaited == 0 else { return }
        // A host without IPv6 is none of our troubles; but whoever is told a port and comes by
        // the family in which another program has it would be answered by nobody.
        let reasons = refusals.filter { sockets.all.isEmpty || $0.code != .familyUnavailable }
        guard reasons.isEmpty else {
            let text = reasons.map(\.text).joined(separator: "; ")
            return end(.failed(DisconnectReason(.providerRefused, text)))
        }
        end(.ready(sockets))
    }

    private func end(_ outcome: Outcome) {
        completion?(outcome)
        completion = nil
    }
}
