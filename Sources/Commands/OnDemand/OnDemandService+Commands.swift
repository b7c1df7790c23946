internal import LinuxSystem
internal import OnDemand
internal import SessionHost
internal import TunnelModel

// What the service has done, by the same commands that a person has.

extension OnDemandService {
    /// Whether something is under way with a tunnel, or waits for its turn.
    func isBusy(_ identifier: String) -> Bool {
        running[identifier] != nil || waitingStarts.contains { $0.identifier == identifier }
    }

    /// Has a command run: stops at once, and starts one after the other.
    ///
    /// Of two tunnels that want the same the one that is saved first has it, each time.
    func run(_ command: OnDemandCommand) {
        switch command.action {
        case .stop: launch(command)
        case .start:
            waitingStarts.append(command)
            startNext()
        }
    }

    private func startNext() {
        guard startUnderWay == nil, !waitingStarts.isEmpty else { return }
        let command = waitingStarts.removeFirst()
        startUnderWay = command.identifier
        launch(command)
    }

    private func launch(_ command: OnDemandCommand) {
        let run = command.run(program, context.layout, on: loop) { [weak self] problem in
            self?.end(command, problem)
        }
        running[command.identifier] = run
    }

    private func end(_ command: OnDemandCommand, _ problem: String?) {
        running[command.identifier] = nil
        switch command.action {
        case .start(let when):
            startUnderWay = nil
            if let problem {
                refuse(command, problem)
            } else {
                let how = when == .traffic ? "accepted, to wait for traffic" : "accepted"
                context.output.note("\(command.name): \(how) (\(command.reason))")
            }
            startNext()
            turn()
        case .stop:
            guard let problem else {
                context.output.note("\(command.name): stopped (\(command.reason))")
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
            let index = record.entries.firstIndex(where: { $0.identifier == command.identifier })
        else { return }
        record.entries[index].refuse(problem, policy, now: .now, jitter: Self.jitter)
        context.output.warn("\(command.name): not started: \(problem)")
        writeDown()
    }
}
