internal import LinuxSystem
internal import SessionHost
internal import TunnelModel

/// Hears, while a command runs, what becomes of the tunnel that it was started for.
final class RunWatch {
    /// How long a session may take to end: the longest stopTimeout, and what comes after it.
    private static let endMilliseconds: Int64 = 3_610_000

    private let context: Context
    private let name: String
    private let attempt: String
    private let directory: SessionDirectory
    private var client: SessionClient?
    private var status = TunnelStatus.connected
    private var loss: DisconnectReason?
    /// Whether the command runs, and so goes on without a tunnel that is lost.
    var commandRuns = false

    /// Hears on what `client` tells, which has told that the tunnel is connected.
    init(_ context: Context, _ report: StartReport, _ client: SessionClient) {
        self.context = context
        self.client = client
        name = report.name
        attempt = report.attempt
        directory = context.directory(of: report.identifier)
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

    /// How the tunnel was lost, if it was; one that is on its way down is lost, and its end is
    /// waited for.
    func end() -> DisconnectReason? {
        let deadline = Deadline.after(milliseconds: Self.endMilliseconds)
        while status == .disconnecting, let client {
            switch client.receive(until: deadline) {
            case .reply(.ended(let disconnect, _)): lose(disconnect.reason)
            case .reply(.refused), .closed: lose(recorded)
            case .timedOut: lose(DisconnectReason(.internalError, "its end does not come"))
            case .reply: continue
            }
        }
        return loss
    }

    private func tell(_ transition: SessionTransition) {
        defer { status = transition.status }
        switch transition.status {
        case .reasserting:
            let reason = transition.reason.map { ": \($0)" } ?? ""
            context.output.note("\(name): the tunnel is not connected for the moment\(reason)")
        case .connected where status == .reasserting:
            context.output.note("\(name): the tunnel is connected again")
        case .waiting:
            let reason = transition.reason.map { ": \($0)" } ?? ""
            context.output.note("\(name): the tunnel waits for traffic\(reason)")
        case .connected where status == .connecting:
            context.output.note("\(name): the tunnel is connected again")
        case .invalid, .disconnected, .connecting, .connected, .disconnecting, .unknown: break
        }
    }

    private func lose(_ reason: DisconnectReason) {
        client = nil
        loss = reason
        let consequence = commandRuns ? ", and the command goes on without it" : ""
        context.output.note("\(name): the tunnel is lost\(consequence): \(reason.summary)")
    }

    private var recorded: DisconnectReason {
        guard let record = directory.record(), record.attempt == attempt else {
            return .hostCrashed
        }
        return record.lastDisconnect.reason
    }
}
