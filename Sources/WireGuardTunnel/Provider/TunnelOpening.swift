import LinuxSystem
import ProviderKit
import TunnelModel

/// Asks the host for settings and sockets, all at once, and waits for all the answers.
final class TunnelOpening {
    /// What came of it.
    enum Outcome {
        case ready(TunnelSockets, mtu: Int)
        /// The host did not want the settings, and says so itself.
        case rejected
        case failed(DisconnectReason)
    }

    private let setup: TunnelSetup
    private let session: ProviderSession
    private var completion: ((Outcome) -> Void)?
    private let sockets = TunnelSockets()
    private var refusals: [String] = []
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
                case .failure(let refusal): refusals.append(refusal.text)
                }
                arrived()
            }
        }
    }

    private func arrived() {
        awaited -= 1
        guard awaited == 0 else { return }
        // A host without IPv6 refuses one of them, which is none of our troubles.
        if sockets.all.isEmpty {
            let text = "no socket: \(refusals.joined(separator: "; "))"
            end(.failed(DisconnectReason(.internalError, text)))
        } else {
            if setup.listenPort != 0, let refusal = refusals.first {
                session.log(.warning, "one of two sockets: \(refusal)")
            }
            end(.ready(sockets, mtu: setup.mtu))
        }
    }

    private func end(_ outcome: Outcome) {
        completion?(outcome)
        completion = nil
    }
}
