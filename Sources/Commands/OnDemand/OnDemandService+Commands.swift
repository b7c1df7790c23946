internal import LinuxSystem
internal import OnDemand
internal import SessionHost
internal import TunnelModel

// What the service has done, by the same commands that a person has.

extension OnDemandService {
    /// Has commands run: stops at once, and starts one after the other.
    ///
    /// Of two tunnels that want the same the one that is saved first has it, each time. What waits
    /// for its turn is what the last turn has come to.
    func run(_ commands: [OnDemandCommand]) {
        waitingStarts = commands.filter { $0.step != .stop }
        for command in commands where command.step == .stop { launch(command) }
        startNext()
    }

    private func startNext() {
        guard startUnderWay == nil, !waitingStarts.isEmpty else { return }
        let command = waitingStarts.removeFirst()
        startUnderWay = command.identifier
        if case .start = command.step { noteStart(of: command) }
        launch(command)
    }

    // Before it is made: whoever comes after this process is to know of it.
    private func noteStart(of command: OnDemandCommand) {
        guard let index = index(of: command) else { return }
        record.entries[index].begin(now: .now)
        writeDown()
    }

    private func index(of command: OnDemandCommand) -> Int? {
        record.entries.firstIndex { $0.identifier == command.identifier }
    }

    private func launch(_ command: OnDemandCommand) {
        let run = command.run(program, context.layout, on: loop) { [weak self] problem in
            self?.end(command, problem)
        }
        running[command.identifier] = run
    }

    private func end(_ command: OnDemandCommand, _ problem: String?) {
        running[command.identifier] = nil
        switch command.step {
        case .start, .wake:
            startUnderWay = nil
            if let problem {
                refuse(command, problem)
            } else {
                if command.step == .wake, let index = index(of: command) {
                    record.entries[index].wasWoken = true
                    writeDown()
                }
                context.output.note("\(command.name): \(command.done) (\(command.reason))")
            }
            turn()
        case .stop:
            guard let problem else {
                context.output.note("\(command.name): \(command.done) (\(command.reason))")
                return turn()
            }
            context.output.warn("\(command.name): not stopped: \(problem)")
            loop.schedule(milliseconds: Self.stopRetryMilliseconds) { [weak self] in
                self?.changed()
            }
        }
    }

    private func refuse(_ command: OnDemandCommand, _ problem: String) {
        // A person was faster: no failure, and seen by the next turn.
        guard context.directory(of: command.identifier).hold() == nil,
            OnDemandPause(context.layout).read() == nil,
            let index = index(of: command)
        else { return }
        record.entries[index].refuse(problem, policy, now: .now, jitter: Self.jitter)
        context.output.warn("\(command.name): not started: \(problem)")
        writeDown()
    }
}
