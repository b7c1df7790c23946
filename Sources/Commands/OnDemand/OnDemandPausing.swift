internal import JSON
internal import LinuxSystem
internal import Preferences
internal import SessionHost
internal import TunnelModel

/// `ondemand pause` and `ondemand resume`: of tunnels that are named, or of On Demand as a whole.
struct OnDemandPausing {
    private let context: Context
    private let names: [String]

    init(_ context: Context, _ names: [String]) {
        self.context = context
        self.names = names
    }

    private var files: OnDemandFiles { OnDemandFiles(context.layout) }
    private var pause: OnDemandPause { OnDemandPause(context.layout) }

    /// Leaves tunnels as they are, whatever their rules say from now on.
    func begin() throws(Failure) -> ExitStatus {
        let targets = try targets()
        try prepare()
        guard !targets.isEmpty else {
            try change { () throws(SystemError) in try pause.set(by: .user) }
            return try answer(
                [], text: "On Demand is paused: nothing starts or stops until it is resumed")
        }
        for target in targets {
            let directory = context.directory(of: target.identifier)
            try change { () throws(SystemError) in try directory.setHold(by: .user) }
        }
        noteUnarmed(targets)
        return try answer(
            targets, text: targets.map { "\($0.name): On Demand leaves it alone" }.inLines)
    }

    /// Lets the rules decide again, and has what failed tried once more.
    func end() throws(Failure) -> ExitStatus {
        let targets = try targets()
        try prepare()
        guard targets.isEmpty else {
            for target in targets {
                let directory = context.directory(of: target.identifier)
                try change { () throws(SystemError) in
                    try directory.liftHold()
                    guard target.configuration?.isArmed == true else { return }
                    try files.requestTry(target.identifier)
                }
            }
            noteUnarmed(targets)
            notePause()
            noteService()
            return try answer(
                targets, text: targets.map { "\($0.name): no longer held" }.inLines)
        }
        let armed = try context.preferences().configurations.filter(\.isArmed)
        try change { () throws(SystemError) in
            try pause.lift()
            for configuration in armed { try files.requestTry(configuration.identifier) }
        }
        let held = armed.filter { context.directory(of: $0.identifier).hold() != nil }
        if !held.isEmpty {
            context.output.note(
                "still held: utunctl ondemand resume \(held.map(\.name).joined(separator: " "))")
        }
        noteService()
        return try answer([], text: "On Demand goes on")
    }

    private func targets() throws(Failure) -> [TunnelTarget] {
        let known = TunnelTargets(context)
        var found: [TunnelTarget] = []
        for name in names {
            let target = try known.resolve(name)
            if !found.contains(target) { found.append(target) }
        }
        return found
    }

    private func prepare() throws(Failure) {
        do throws(SessionError) { try SessionDirectory.prepare(context.layout) } catch {
            throw Failure(error)
        }
    }

    private func change(_ body: () throws(SystemError) -> Void) throws(Failure) {
        do throws(SystemError) { try body() } catch { throw Failure(error) }
    }

    private func answer(_ targets: [TunnelTarget], text: String) throws(Failure) -> ExitStatus {
        let tunnels = targets.map { target in
            OnDemandAnswer.Tunnel(
                name: target.name, identifier: target.identifier,
                hold: context.directory(of: target.identifier).hold())
        }
        try context.output.answer(
            OnDemandAnswer(paused: pause.read(), tunnels: tunnels), text: text)
        return .done
    }

    // MARK: What is said beside it

    private func noteUnarmed(_ targets: [TunnelTarget]) {
        for target in targets where target.configuration?.isArmed != true {
            context.output.note(
                "\(target.name): no rule is followed, as it is not enabled with onDemand.enabled")
        }
    }

    private func notePause() {
        guard pause.read() != nil else { return }
        context.output.note("On Demand as a whole is still paused: utunctl ondemand resume")
    }

    private func noteService() {
        guard !files.isServiceRunning else { return }
        context.output.note(
            "no service follows the rules: systemctl enable --now utunctl-ondemand.service")
    }
}

/// What `ondemand pause` and `ondemand resume` answer.
private struct OnDemandAnswer: JSONEncodable {
    struct Tunnel: JSONEncodable {
        let name: String
        let identifier: String
        let hold: Hold?

        func write(to writer: inout JSONWriter) {
            writer.object { writer in
                writer.member("name", name)
                writer.member("identifier", identifier)
                writer.member("hold", hold)
            }
        }
    }

    let paused: Hold?
    let tunnels: [Tunnel]

    func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("formatVersion", 1)
            writer.member("paused", paused)
            writer.member("tunnels", tunnels)
        }
    }
}

extension [String] {
    fileprivate var inLines: String { joined(separator: "\n") }
}
