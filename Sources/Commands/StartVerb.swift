internal import LinuxSystem
internal import Preferences
internal import SessionHost
internal import TunnelModel

extension Verb {
    static let start = Verb(
        syntax: VerbSyntax(
            "start",
            summary: "start a saved tunnel",
            operands: Operands("NAME", minimum: 1, maximum: 1),
            options: StartCommand.commonOptions + StartTerms.options + [
                Option("foreground", summary: "be the session host, for a service manager"),
                Option("accept-fd", value: "FD", isHidden: true, summary: "internal"),
            ],
            description: [
                "Starts what is saved, in a process of its own. Without --wait the answer says"
                    + " that the start was accepted, which is not connected.",
                "A tunnel that already runs what is saved is left alone, which is success.",
                "With --when traffic its interface, routes, resolver and firewall are there, and the"
                    + " provider starts with the first packet, which is not lost.",
                "Where systemd runs and has the unit utunctl@.service, the session host is that"
                    + " unit's, so that there is one supervisor; --direct does without.",
            ],
            examples: [
                Example("utunctl start --wait office", "start, and return when it is connected"),
                Example(
                    "utunctl start --wait --timeout 10 --or-stop office",
                    "connected within ten seconds, or not running at all"),
            ]),
        run: { context throws(Failure) in
            if context.invocation.has("foreground") {
                return try StartForeground(context).run()
            }
            return try StartCommand(context, StartTerms(context.invocation)).run()
        })
}

/// Starts a session host and, if asked, waits for its tunnel.
struct StartCommand {
    /// How long a start may take to be accepted or refused, with whatever comes before it.
    private static let acceptMilliseconds: Int64 = 30_000
    /// How long a session may be between its lock and its socket.
    private static let beginMilliseconds: Int64 = 3000

    /// What can be said of a start, by whichever verb.
    static let commonOptions = [
        Option("wait", short: "w", summary: "wait until it is connected, or has failed"),
        Option(
            "timeout", value: "TIME",
            summary: "wait at most so long; default: the configuration's startTimeout + 5 s"),
        Option(
            "or-stop", summary: "with --wait: stop it again if it fails, or the time is up"),
        Option(
            "retries", value: "N",
            summary: "with --wait: try up to N times more when the tunnel fails"),
        Option(
            "option", value: "KEY=VALUE", repeats: true,
            summary: "hand KEY to the provider, for this one start"),
        Option(
            "if-generation", value: "N",
            summary: "refuse (8) unless generation N is the saved one"),
        Option("direct", summary: "start it without systemd, where that would do it"),
    ]

    let context: Context
    let terms: StartTerms

    init(_ context: Context, _ terms: StartTerms = StartTerms()) {
        self.context = context
        self.terms = terms
    }

    func run() throws(Failure) -> ExitStatus {
        try checkOptions()
        try context.settleEnrolment()
        let configuration = try context.configuration(context.operand)
        let options = try Self.options(context.invocation)
        let limits = try WaitLimits(context.invocation, configuration)
        let given = limits.given.map { Deadline.after(milliseconds: $0) }
        let report = try accept(configuration, options, until: given)
        noteRunning(report, options)
        guard context.invocation.has("wait") else {
            try context.output.answer(report, text: report.text)
            return .done
        }
        let connecting = Connecting(
            start: self, configuration: configuration, options: options, limits: limits)
        let interruption = try Interruption()
        return try answer(
            try connecting.follow(report, until: given, interruption), configuration, limits)
    }

    /// Tells that a tunnel was not started because it runs.
    func noteRunning(_ report: StartReport, _ options: [String: String]) {
        guard report.alreadyRunning else { return }
        if report.wasWaiting {
            context.output.note("\(report.name): it waited for traffic, and connects now")
        }
        let lost = options.isEmpty ? "" : "; an --option is for a start of its own"
        guard !report.wasWaiting || !lost.isEmpty else { return }
        context.output.note("\(report.name): it runs already\(lost)")
    }

    /// Looks at everything that would refuse a start of what is saved, and starts nothing.
    func check() throws(Failure) -> Configuration {
        try checkOptions()
        try context.settleEnrolment()
        let configuration = try context.configuration(context.operand)
        _ = try Self.options(context.invocation)
        _ = try WaitLimits(context.invocation, configuration)
        try Self.checkGeneration(configuration, context.invocation)
        try preflight(configuration, serviceManager)
        return configuration
    }

    /// The manager that is to start it.
    var serviceManager: ServiceManager? {
        context.invocation.has("direct") ? nil : ServiceManager.find(context.layout)
    }

    private func preflight(_ configuration: Configuration, _ manager: ServiceManager?)
        throws(Failure)
    {
        do throws(SessionError) {
            // What systemd hands over is there for the unit alone.
            _ = try Preflight(configuration, context.layout, opensHandedOver: manager == nil)
        } catch {
            throw Failure(error)
        }
    }

    // An option that would have no effect is a misunderstanding better told than kept.
    private func checkOptions() throws(Failure) {
        guard !context.invocation.has("wait") else { return }
        for option in ["timeout", "or-stop", "retries"] where context.invocation.has(option) {
            throw Failure(UsageError("--\(option) goes with --wait"))
        }
    }

    /// The `--option`s as a map.
    static func options(_ invocation: Invocation) throws(Failure) -> [String: String] {
        var options: [String: String] = [:]
        for text in invocation.values("option") {
            guard let equals = text.firstIndex(of: "="), equals != text.startIndex else {
                throw Failure(
                    UsageError("--option: \(text.shownInMessage) is not KEY=VALUE"))
            }
            options[String(text[..<equals])] = String(text[text.index(after: equals)...])
        }
        return options
    }

    /// The generation that a start asks for: that of `--if-generation`, or the saved one.
    static func checkGeneration(_ configuration: Configuration, _ invocation: Invocation)
        throws(Failure)
    {
        let asked: UInt64?
        do { asked = try invocation.unsigned("if-generation") } catch { throw Failure(error) }
        guard let asked, asked != configuration.generation else { return }
        throw Failure(SessionError.stale(given: asked, saved: configuration.generation))
    }

    // Verbs on one configuration serialise by its session: what ends is waited for, what
    // runs is answered with, and of several that find nothing the lock lets one through.
    // What was given as the time for all of it is the time for this too.
    func accept(
        _ configuration: Configuration,
        _ options: [String: String],
        until given: Deadline?,
        interruptedBy signals: CInt? = nil
    ) throws(Failure) -> StartReport {
        var configuration = configuration
        try Self.checkGeneration(configuration, context.invocation)
        let directory = context.directory(of: configuration.identifier)
        try refuseHeld(directory)
        let stopping = Int64(configuration.stopTimeout + 10) * 1000
        let deadline =
            given ?? Deadline.after(milliseconds: max(Self.acceptMilliseconds, stopping))
        var beginning: Deadline?
        var hasNoted = false
        while !deadline.hasPassed {
            if let signals { try Self.refuseInterrupted(signals) }
            switch try RunningSession.find(directory) {
            case .running(let session): return try answer(session, configuration, directory)
            case .ending(let client):
                beginning = nil
                if !hasNoted {
                    context.output.note("\(configuration.name): the session before it is ending")
                    hasNoted = true
                }
                RunningSession.awaitEnd(client, until: deadline)
            case .beginning:
                beginning = beginning ?? .after(milliseconds: Self.beginMilliseconds)
                if beginning?.hasPassed == true { try refuseUnreachable(configuration) }
                RunningSession.pause()
            case .none:
                beginning = nil
                do throws(Failure) {
                    return try launch(configuration, options, interruptedBy: signals)
                } catch {
                    switch error.code {
                    // Another start was faster: its session is the one to answer with.
                    case "alreadyRunning": continue
                    // Somebody saved meanwhile, and nobody asked for a certain generation.
                    case "stale" where !context.invocation.has("if-generation"):
                        configuration = try context.configuration(configuration.identifier)
                    default: throw error
                    }
                }
            }
        }
        throw Failure(
            .timedOut, "timedOut",
            "the session before it has not ended yet; nothing was started",
            hint: "utunctl status NAME")
    }

    // What counts is the host's look, under its lock; this one is for the words of it.
    private func refuseHeld(_ directory: SessionDirectory) throws(Failure) {
        guard terms.origin == .ondemand else { return }
        do { try directory.refuseHeld() } catch { throw Failure(error) }
    }

    /// Refuses where a session holds its lock and its interface, but has lost its socket.
    private func refuseUnreachable(_ configuration: Configuration) throws(Failure) {
        do throws(SessionError) {
            let interface = try Leftovers(context.layout).interface(of: configuration.identifier)
            if let interface { throw .unreachableSession(interface: interface.name) }
        } catch {
            throw Failure(error)
        }
    }

    private func answer(
        _ session: SessionReport,
        _ saved: Configuration,
        _ directory: SessionDirectory
    ) throws(Failure) -> StartReport {
        let differences = SessionFingerprints.differences(
            running: session.fingerprints, saved: saved, context.layout)
        guard differences.isEmpty else {
            throw Failure(
                .conflict, "olderGenerationRuns",
                "generation \(session.generation) runs, saved is \(saved.generation);"
                    + " a restart is needed for: \(differences.joined(separator: ", "))",
                hint: "utunctl restart NAME")
        }
        var report = StartReport(session, alreadyRunning: true)
        // Whoever starts a tunnel wants it, whether it runs or not.
        if terms.origin == .user { try liftHold(directory) }
        guard session.waitsForTraffic, !terms.waitsForTraffic else { return report }
        try Waking(directory).wake(for: terms.origin)
        if session.status == .waiting {
            report.status = .connecting
            report.wasWaiting = true
        }
        return report
    }

    private func liftHold(_ directory: SessionDirectory) throws(Failure) {
        do throws(SystemError) { try directory.liftHold() } catch { throw Failure(error) }
    }

    private func launch(
        _ configuration: Configuration,
        _ options: [String: String],
        interruptedBy signals: CInt?
    ) throws(Failure) -> StartReport {
        let manager = serviceManager
        try preflight(configuration, manager)
        let request = StartRequest(
            attempt: Identifier.make(from: Random.bytes(16)), origin: terms.origin,
            options: options, generation: configuration.generation,
            waitsForTraffic: terms.waitsForTraffic)
        guard let manager else {
            return try HostLauncher(context.layout).launch(configuration, request)
        }
        return try UnitLauncher(manager, context.layout, interruptedBy: signals)
            .launch(configuration, request)
    }

    /// Ends what a unit that has failed is about to do.
    func endTrying(_ configuration: Configuration) throws(Failure) {
        guard let manager = serviceManager else { return }
        try manager.endTrying(ServiceManager.unit(of: configuration.name))
    }

    /// Ends a wait that a signal has come for, which whoever waits reads.
    static func refuseInterrupted(_ signals: CInt) throws(Failure) {
        let ready = try? LineClient.wait(
            for: [(signals, .readable)], until: .after(milliseconds: 0))
        guard let ready, !ready.isEmpty else { return }
        throw Failure(.interrupted, "interrupted", "a signal came")
    }

    private func answer(
        _ connection: Connection,
        _ configuration: Configuration,
        _ limits: WaitLimits
    ) throws(Failure) -> ExitStatus {
        switch connection {
        case .connected(let report, _):
            try context.output.answer(report, text: report.text)
            return .done
        case .failed(let failure):
            let after = AfterFailure(context, configuration)
            if context.invocation.has("or-stop") {
                try after.clear(because: failure.code)
            } else {
                after.note()
            }
            throw failure
        case .interrupted(let signal, let report):
            let what = report == nil ? "nothing more is tried" : "the tunnel goes on by itself"
            context.output.note("\(configuration.name): no longer waiting; \(what)")
            return ExitStatus(ofSignal: signal)
        case .timedOut(let status, _):
            let text = limits.notConnected(status)
            guard context.invocation.has("or-stop") else {
                throw Failure(
                    .timedOut, "timedOut", "\(text); it goes on trying",
                    hint: "utunctl status NAME, or utunctl stop NAME")
            }
            try AfterFailure(context, configuration).clear(because: "not connected in time")
            throw Failure(.timedOut, "timedOut", "\(text); it was stopped")
        }
    }
}

extension Duration {
    /// Milliseconds, rounded up.
    var wholeMilliseconds: Int64 {
        let parts = components
        return parts.seconds * 1000 + (parts.attoseconds + 999_999_999_999_999)
            / 1_000_000_000_000_000
    }
}
