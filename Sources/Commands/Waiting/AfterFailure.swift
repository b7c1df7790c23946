internal import LinuxSystem
internal import Preferences
internal import SessionHost
internal import TunnelModel

/// What a start leaves behind whose tunnel has failed: a block, and a unit that tries again.
struct AfterFailure {
    /// How long the unit of a host that has ended may take to say what becomes of it.
    private static let restMilliseconds: Int64 = 2000

    private let context: Context
    private let configuration: Configuration

    init(_ context: Context, _ configuration: Configuration) {
        self.context = context
        self.configuration = configuration
    }

    /// Stops the tunnel, whatever of it is left.
    func clear(because text: String) throws(Failure) {
        let outcome = try Stopping(context).stop(
            configuration.identifier, name: configuration.name,
            reason: DisconnectReason(.stoppedByUser, text))
        context.noteKeptBlock(outcome, of: configuration.name, isSaved: true)
    }

    /// Tells what goes on all the same.
    func note() {
        if isTriedAgain {
            context.output.note(
                "\(configuration.name): systemd starts it again in some seconds; utunctl stop"
                    + " \(configuration.name) ends that")
        }
        let table = context.layout.firewallTable(of: configuration.identifier)
        guard configuration.routing.mode == .all,
            Leftovers(context.layout).firewalls().contains(where: { $0.table == table })
        else { return }
        let verb = configuration.routing.lockdown == .always ? "unblock" : "stop"
        context.output.note(
            "\(configuration.name): this host stays blocked, as routing.includeAllNetworks"
                + " promises; utunctl \(verb) \(configuration.name) lifts that")
    }

    private var isTriedAgain: Bool {
        guard !context.invocation.has("direct"), let manager = ServiceManager.find(context.layout)
        else { return false }
        let unit = ServiceManager.unit(of: configuration.name)
        let deadline = Deadline.after(milliseconds: Self.restMilliseconds)
        while let state = try? manager.state(of: unit), !state.isAtRest {
            if state.isAboutToStartAgain { return true }
            guard !deadline.hasPassed else { return false }
            RunningSession.pause()
        }
        return false
    }
}
