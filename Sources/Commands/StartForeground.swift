internal import Glibc
internal import JSON
internal import LinuxSystem
internal import Preferences
internal import SessionHost
internal import TunnelModel

/// Is the session host of a configuration: in the foreground of a service manager or a
/// terminal, or detached on behalf of another `start`.
struct StartForeground {
    private let context: Context

    init(_ context: Context) {
        self.context = context
    }

    func run() throws(Failure) -> ExitStatus {
        for option in ["wait", "timeout", "or-stop", "retries"] where context.invocation.has(option)
        {
            throw Failure(UsageError("--\(option) does not go with --foreground"))
        }
        let terms = try StartTerms(context.invocation)
        try context.settleEnrolment()
        let number: UInt64?
        do { number = try context.invocation.unsigned("accept-fd", in: 3...65_535) } catch {
            throw Failure(error)
        }
        guard let number else { return try runAlone(terms) }
        let requester = LineClient(FileDescriptor(taking: CInt(number)))
        return try run(for: requester)
    }

    /// Runs for a service manager or a person, who sees failures on standard error.
    private func runAlone(_ terms: StartTerms) throws(Failure) -> ExitStatus {
        let configuration = try context.configuration(context.operand)
        try StartCommand.checkGeneration(configuration, context.invocation)
        let isService = getenv("INVOCATION_ID") != nil
        if isService, let requester = awaitedStart(of: configuration) {
            return try run(for: requester)
        }
        var request = StartRequest(
            attempt: Identifier.make(from: Random.bytes(16)),
            origin: terms.statedOrigin ?? (isService ? .systemd : .user),
            options: try StartCommand.options(context.invocation),
            generation: configuration.generation, waitsForTraffic: terms.waitsForTraffic)
        if isService, terms.statedOrigin == nil { resume(configuration, &request) }
        let host = try prepare(configuration, request)
        let report = StartReport(
            configuration, attempt: request.attempt, interface: host.interfaceName)
        try context.output.answer(report, text: report.text)
        return try run(host, configuration)
    }

    /// Has a unit that systemd starts again by itself go on with what On Demand had begun: it is
    /// On Demand's still, and whoever stopped it meanwhile is not overruled.
    private func resume(_ configuration: Configuration, _ request: inout StartRequest) {
        guard let record = context.directory(of: configuration.identifier).record(),
            record.isUnfinished, isStartedAgain
        else { return }
        if record.origin == .ondemand { request.origin = .ondemand }
        request.waitsForTraffic = record.waitsForTraffic
    }

    // Who cannot be asked counts as one that has: to be refused is better than to overrule.
    private var isStartedAgain: Bool {
        guard let unit = ServiceManager.unit(ofProcess: "self") else { return true }
        return (try? ServiceManager().restarts(of: unit)) != 0
    }

    /// The start that has had this unit started, and waits; of several the first alone has its
    /// options, and the others find its session.
    private func awaitedStart(of configuration: Configuration) -> LineClient? {
        let waiting = AwaitedStart.all(for: context.directory(of: configuration.identifier))
        let late = Failure(SessionError.alreadyRunning)
        for requester in waiting.dropFirst() { try? requester.send(JSONWriter.line(late)) }
        return waiting.first
    }

    /// Runs for another `start`, which waits for one line and then goes.
    private func run(for requester: LineClient) throws(Failure) -> ExitStatus {
        let host: SessionHost
        let configuration: Configuration
        do throws(Failure) {
            let request = try receiveRequest(requester)
            configuration = try context.configuration(context.operand)
            host = try prepare(configuration, request)
            let report = StartReport(
                configuration, attempt: request.attempt, interface: host.interfaceName)
            // Nothing pins a directory for as long as the tunnel runs.
            chdir("/")
            try? requester.send(JSONWriter.line(report))
        } catch {
            try? requester.send(JSONWriter.line(error))
            return error.exitStatus
        }
        requester.close()
        return try run(host, configuration)
    }

    private func receiveRequest(_ requester: LineClient) throws(Failure) -> StartRequest {
        do {
            guard case .line(let line) = try requester.receive(until: .after(milliseconds: 10_000))
            else { throw Failure(.failure, "internalError", "no request came") }
            return try StartRequest(line: line)
        } catch let failure as Failure {
            throw failure
        } catch {
            throw Failure(.failure, "internalError", "the request cannot be read")
        }
    }

    private func prepare(_ configuration: Configuration, _ request: StartRequest)
        throws(Failure) -> SessionHost
    {
        do { return try SessionHost(configuration, request, context.layout) } catch {
            throw Failure(error)
        }
    }

    private func run(_ host: SessionHost, _ configuration: Configuration) throws(Failure)
        -> ExitStatus
    {
        let reason: DisconnectReason
        do { reason = try host.run() } catch { throw Failure(error) }
        guard !reason.code.wasAskedFor else { return .done }
        let failure = Failure(reason, clockFloor: ClockFloor.of(configuration, context.layout))
        // Of two who try again each by its own rules one would be too many.
        guard !reason.code.mayPassByItself || host.origin == .ondemand else { throw failure }
        // For a service manager, which is not to try that again and again.
        throw Failure(.failedForGood, failure.code, failure.text, hint: failure.hint)
    }
}
