internal import Glibc
internal import JSON
internal import KernelNetwork
package import LinuxSystem
package import Preferences
package import TunnelModel

/// The privileged process of one running tunnel: carries out what its state machine says.
///
/// One thread, one event loop: the control socket, the provider, the kernel's events,
/// signals and timers all end in `handle`, which alone changes the state.
package final class SessionHost {
    /// What it runs, which a reload changes.
    var running: RunningConfiguration
    let manifest: ProviderManifest
    let request: StartRequest
    let layout: FileLayout
    let directory: SessionDirectory
    let loop: EventLoop
    let log: HostLog
    let interface: TunnelInterface
    let started = Timestamp.now
    /// Where the interface lives.
    let networkNamespace: String
    let outside: Outside?
    var provider: ProviderProcess?
    var lookups: [Int64: NameResolution] = [:]
    var lookupRate = RateLimiter(perSecond: 4)
    /// The latest addresses of each name.
    var resolved: [String: [IPAddress]] = [:]
    /// Further ones that the provider has told of, until they are looked at.
    var announced: [IPAddress] = []
    var announcement: EventLoop.Timer?
    var connectedSince: Timestamp?
    var query = ProviderQuery()
    var openedSockets = 0
    /// What the provider asked for and this host, having no IPv6, cannot do.
    var leftOut: [IPPrefix] = []
    /// What is not as it should be, and ends nothing.
    var warnings: [TunnelWarning] = []
    var controlSocket: ProviderSocket?
    var outlook = Outlook()
    var sleepWatch: SleepWatch?
    var resolver: (any TunnelResolver)?
    /// The resolver that is to be in force again when the pause has ended.
    var pausedDNS: DNSSettings?
    /// Settings that wait until the resolver of others is in force.
    var waitingSettings: [(id: Int64, settings: NetworkSettings)] = []
    var isApplyingSettings = false
    /// What the provider has asked for that is in force.
    var lastAsked: NetworkSettings?
    var reloading: Reload?
    /// Who asks for a reload while something else changes.
    var waitingReloads: [ControlServer.Client] = []
    /// How its last provider ended, while the session went on.
    var lastDisconnect: Disconnect?
    var idleWatch: IdleWatch?
    /// The MTU that the provider knows of.
    var toldMTU: UInt32 = 0

    let control: ControlServer
    /// `nil` where this host has no firewall, and none is needed.
    let firewall: SessionFirewall?
    /// The links that forward packets only because of this session.
    var forwardingLinks = ForwardingLinks()
    let events: NetworkEventSocket
    private let signals: SignalDescriptor
    let notifier = ServiceNotifier()
    var preflight: Preflight?
    var lock: FileLock?
    var record: SessionRecord
    private(set) var state = SessionState.idle
    private var pending: [SessionEvent] = []
    private var isHandling = false
    private var deadline: EventLoop.Timer?
    var convergence: EventLoop.Timer?
    var pauseEnd: EventLoop.Timer?
    var askedSettings: [Int64: NetworkSettings] = [:]
    var rejections: [SettingsRejection] = []
    private(set) var transitions: [SessionTransition] = []
    /// How often it was connected again after it had reasserted.
    private(set) var reconnects: UInt64 = 0
    private(set) var wasForced = false

    /// Prepares a session: lock, leftovers, interface, record and control socket.
    ///
    /// When this returns the session is accepted, not connected; when it throws, nothing of
    /// it is left. To be called on the main thread, before any other exists.
    package init(_ configuration: Configuration, _ request: StartRequest, _ layout: FileLayout)
        throws(SessionError)
    {
        let configuration = configuration.normalized().configuration
        guard request.generation == configuration.generation else {
            throw .stale(given: request.generation, saved: configuration.generation)
        }
        let preflight = try Preflight(configuration, layout)
        try Self.refuseWaiting(configuration, request)
        try SessionDirectory.prepare(layout)
        let directory = SessionDirectory(layout, identifier: configuration.identifier)
        guard let lock = try directory.takeLock() else { throw .alreadyRunning }
        // Whoever stops a tunnel sets its hold first and looks for a session then: either this
        // one sees the hold, or they see this one.
        if request.origin == .ondemand {
            do throws(SessionError) { try directory.refuseHeld() } catch {
                try? directory.removeLivingFiles()
                throw error
            }
        }
        log = HostLog(configuration, request, ownFile: directory.logPath)
        var made: TunnelInterface?
        do throws(SessionError) {
            outside = try Self.enterNamespace(of: configuration, layout)
            networkNamespace = currentNetworkNamespace
            record = SessionRecord(
                configuration: configuration, attempt: request.attempt, origin: request.origin,
                started: started, networkNamespace: networkNamespace)
            record.waitsForTraffic = request.waitsForTraffic
            try Self.checkSaved(configuration, layout)
            try Leftovers(layout).clear(directory)
            let surroundings = Self.surroundings(of: configuration, preflight.manifest)
            try Self.refuseOtherBlock(configuration, layout)
            interface = try TunnelInterface(
                configuration.interface, preflight.manifest,
                mark: layout.mark(of: configuration.identifier), surroundings,
                outside: outside)
            made = interface
            try interface.refuseTaken(configuration.ownAddresses, layout)
            events = try Self.openEvents()
            signals = try Self.openSignals()
            loop = try Self.openLoop()
            try Self.block(interface, configuration, layout)
            firewall = try Self.beginFirewall(
                configuration, layout, interface, on: loop, log: log)
            do throws(SessionError) {
                control = try Self.openControl(directory, record, loop)
            } catch {
                firewall?.retreat()
                throw error
            }
        } catch {
            try? made?.tearDown()
            // While the lock is held: afterwards its file may be another host's.
            try? directory.removeLivingFiles()
            try? directory.removeEmptyLog()
            throw error
        }
        running = RunningConfiguration(
            configuration, preflight.trust, systemTrust: preflight.systemTrust, layout)
        manifest = preflight.manifest
        self.request = request
        self.layout = layout
        self.directory = directory
        self.lock = consume lock
        self.preflight = consume preflight
        liftFormerBlock()
        if request.origin != .ondemand { liftHold() }
    }

    var configuration: Configuration { running.configuration }

    /// On whose behalf it runs.
    package var origin: SessionOrigin { record.origin }

    /// The name of the interface.
    package var interfaceName: String { interface.name }

    /// Runs the session to its end, and answers how it ended.
    package func run() throws(SystemError) -> DisconnectReason {
        SignalDescriptor.ignoreBrokenPipes()
        control.onStop = { [weak self] reason in self?.stop(reason) }
        control.onStatus = { [weak self] client, namespace in
            self?.answerStatus(client, asker: namespace)
        }
        control.onPause = { [weak self] client, seconds in
            self?.pause(seconds: seconds, client)
        }
        control.onReload = { [weak self] client in self?.reload(for: client) }
        control.onConnect = { [weak self] client, origin in
            self?.connect(for: origin, client)
        }
        control.onSleep = { [weak self] in self?.prepareForSleep() }
        control.onWake = { [weak self] in self?.wakeUp() }
        control.history = { [weak self] in self?.transitions ?? [] }
        try loop.add(events.fileDescriptor) { [weak self] _ in self?.readKernelEvents() }
        if let outside {
            try loop.add(outside.events.fileDescriptor) { [weak self] _ in
                self?.readOutsideEvents()
            }
        }
        try loop.add(signals.descriptor.raw) { [weak self] _ in self?.readSignals() }
        try watchSleep()
        anticipateFirewall()
        handle(record.waitsForTraffic ? .startWaiting : .start)
        try loop.run()
        guard case .ended(let reason) = state else {
            return DisconnectReason(.internalError, "the loop ended before the session")
        }
        return reason
    }

    /// The status of the session.
    var status: TunnelStatus { state.status }

    /// Whether it is on its way out, so that nothing is to be put back any more.
    var isEnding: Bool {
        switch state {
        case .stopping, .tearingDown, .ended: true
        case .idle, .preparing, .waiting, .dozing, .resolving, .launching, .configuring, .settled,
            .connected, .reasserting:
            false
        }
    }

    /// Why it reasserts or ends, or what it waits for, where it does.
    var statusReason: String? {
        switch state {
        case .reasserting(let reason): reason
        case .stopping(let reason, _), .tearingDown(let reason), .ended(let reason): reason.summary
        case .waiting(let idle):
            (idle.map { "\($0); " } ?? "") + "the next packet to it starts its provider"
        case .dozing(let idle, _, _): "\(idle); its provider is ending"
        case .idle, .preparing, .resolving, .launching, .configuring, .settled, .connected: nil
        }
    }

    /// The code of the end that is under way or has come.
    private var disconnectCode: DisconnectCode? {
        switch state {
        case .stopping(let reason, _), .tearingDown(let reason), .ended(let reason): reason.code
        default: nil
        }
    }

    /// Lets an event happen; events that effects bring about come after them.
    func handle(_ event: SessionEvent) {
        pending.append(event)
        guard !isHandling else { return }
        isHandling = true
        while !pending.isEmpty {
            let next = pending.removeFirst()
            for effect in state.handle(next) { perform(effect) }
        }
        isHandling = false
    }

    private func perform(_ effect: SessionEffect) {
        switch effect {
        case .armDeadline(let kind): arm(kind)
        case .clearDeadline:
            loop.cancel(deadline)
            deadline = nil
        case .anticipateSettings: anticipateSettings()
        case .watchTraffic: watchTraffic()
        case .unwatchTraffic: unwatchTraffic()
        case .forgetProvider(let idle): forgetProvider(idle: idle)
        case .resolveNames: resolveNames()
        case .launchProvider: launchProvider()
        case .sendStart: sendStart()
        case .applySettings(let id): applySettings(id)
        case .acknowledgeSettings(let id): provider?.send(.settingsApplied(id: id))
        case .refuseSettings(let id):
            provider?.send(.settingsRejected(id: id, errors: rejections))
        case .readBack:
            handle(interface.difference().map { .kernelDiffers($0) } ?? .kernelConfirmed)
        case .noteEarlyClaim:
            log.note("the provider claims to be connected before its settings are in force")
        case .sendStop(let code): provider?.send(.stop(reason: code))
        case .signalProvider(let signal):
            if signal == .kill { wasForced = true }
            log.note("the provider has to be ended: \(signal == .kill ? "SIGKILL" : "SIGTERM")")
            provider?.signal(signal)
        case .tearDown: tearDown()
        case .publish: publish()
        case .finish: finish()
        }
    }

    private func arm(_ kind: SessionDeadline) {
        let milliseconds: Int64 =
            switch kind {
            case .start: Int64(configuration.startTimeout) * 1000
            case .stop: Int64(configuration.stopTimeout) * 1000
            case .exit, .kill: 1000
            }
        loop.cancel(deadline)
        deadline = loop.schedule(milliseconds: milliseconds) { [weak self] in
            self?.handle(.deadlinePassed(kind))
        }
    }

    private func readSignals() {
        while let signal = try? signals.next() {
            // A terminal that goes away takes no tunnel with it.
            if signal == SIGHUP { continue }
            let name = signal == SIGTERM ? "SIGTERM" : "SIGINT"
            stop(DisconnectReason(.stoppedByUser, "the host received \(name)"))
        }
    }

    /// How long the service manager is to wait at least, from now on: the session's own time,
    /// and what a stop takes that has to use force.
    private static func patience(_ seconds: some BinaryInteger) -> String {
        "EXTEND_TIMEOUT_USEC=\((Int(seconds) + 30) * 1_000_000)"
    }

    private func publish() {
        let transition = SessionTransition(
            number: (transitions.last?.number ?? 0) + 1, status: status, time: .now,
            reason: statusReason)
        if let last = transitions.last, last.status == status, last.reason == statusReason {
            return
        }
        followIdleness()
        if status == .connected, connectedSince == nil {
            connectedSince = transition.time
            loop.releaseStart()
        }
        if status == .connected, transitions.last?.status == .reasserting { reconnects += 1 }
        transitions.append(transition)
        // A quarrelsome peer must not fill the memory; the latest are the ones that matter.
        if transitions.count > 1000 { transitions.removeFirst() }
        control.publish(transition)
        let text = statusReason.map { "\(status.rawValue): \($0)" } ?? status.rawValue
        log.note(text, .status(status, disconnectCode))
        var assignments = ["STATUS=\(text.madePrintable(limit: 500))"]
        switch status {
        // The manager's own patience is that of units that say nothing.
        case .connecting: assignments.append(Self.patience(configuration.startTimeout))
        case .connected, .waiting: assignments.append("READY=1")
        case .disconnecting:
            assignments += ["STOPPING=1", Self.patience(configuration.stopTimeout)]
        default: break
        }
        notifier.send(assignments)
    }
}
