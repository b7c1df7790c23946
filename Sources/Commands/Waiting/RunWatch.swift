internal import SessionHost
internal import TunnelModel

/// Hears, while a command runs, what becomes of the tunnel that it was started for.
final class RunWatch {
    private let context: Context
    private let name: String
    private let attempt: String
    private let directory: SessionDirectory
    private var client: SessionClient?
    private let begun = Timestamp.now
    private var status = TunnelStatus.connected
    /// How the tunnel ended, once it has.
    private(set) var loss: DisconnectReason?

    init(_ context: Context, _ report: StartReport) {
        self.context = context
        name = report.name
        attempt = report.attempt
        directory = context.directory(of: report.identifier)
        do throws(SessionClient.Failure) {
            let client = try SessionClient(directory)
            try client.send(.subscribe)
            self.client = client
        } catch {
            lose(recorded)
        }
    }

    /// Readable when there is something to hear.
    var descriptor: CInt? { client?.raw }

    /// Hears what has come, and tells it.
    func look() {
        while let reply = client?.receiveIfReady() {
            switch reply {
            case .reply(.transition(let transition)): tell(transition)
            case .reply(.ended(let disconnect, _)): lose(disconnect.reason)
            case .reply(.refused), .closed, .timedOut: lose(recorded)
            case .reply: continue
            }
        }
    }

    private func tell(_ transition: SessionTransition) {
        defer { status = transition.status }
        // What the tunnel has been through before is history.
        guard transition.time >= begun else { return }
        switch transition.status {
        case .reasserting:
            let reason = transition.reason.map { ": \($0)" } ?? ""
            context.output.note("\(name): the tunnel is not connected for the moment\(reason)")
        case .connected where status == .reasserting:
            context.output.note("\(name): the tunnel is connected again")
        case .invalid, .disconnected, .connecting, .connected, .disconnecting, .unknown: break
        }
    }

    private func lose(_ reason: DisconnectReason) {
        client = nil
        loss = reason
        context.output.note(
            "\(name): the tunnel is lost, and the command goes on without it: \(reason.summary)")
    }

    private var recorded: DisconnectReason {
        guard let record = directory.record(), record.attempt == attempt else {
            return .hostCrashed
        }
        return record.lastDisconnect.reason
    }
}
