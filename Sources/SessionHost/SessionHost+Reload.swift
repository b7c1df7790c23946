internal import LinuxSystem
internal import Preferences
internal import TunnelModel

// A saved change comes into force while the tunnel goes on: all of it or nothing.
//
//     read and divided ──> names ──> settings ──> provider ──> in force
//                                       │            │
//                                       ▼            ▼
//                                     back to what was there before
//
// First the firewall and the routes, which can be taken back by difference alone, then the
// provider, whose answer is the last thing that can refuse: what peers that stay send meanwhile
// meets at each moment a route and a peer.

extension SessionHost {
    /// How long a provider may take to answer.
    private static let providerMilliseconds: Int64 = 5000

    /// Puts into force what is saved, and answers whoever asks for it.
    func reload(for client: ControlServer.Client) {
        guard !isApplyingSettings else { return waitingReloads.append(client) }
        do throws(ReloadRefusal) {
            guard let reload = try prepareReload(for: client) else { return takeWaiting() }
            begin(reload)
        } catch {
            client.send(error.reply)
            takeWaiting()
        }
    }

    /// Answers everyone who asks for a reload that the session is about to end.
    func abandonReloads() {
        let asking = [reloading?.client].compactMap(\.self) + waitingReloads
        loop.cancel(reloading?.deadline)
        reloading = nil
        waitingReloads = []
        for client in asking { client.send(.refused(text: "its session has come to an end")) }
    }

    /// Reads what is saved and looks whether all of it can come into force; `nil` where nothing is
    /// left to be done.
    private func prepareReload(for client: ControlServer.Client) throws(ReloadRefusal) -> Reload? {
        guard [.connected, .reasserting, .waiting].contains(status), let asked = lastAsked else {
            throw .refused("it is \(status.rawValue)")
        }
        let saved = try savedConfiguration().normalized().configuration
        let references = SessionFingerprints.differences(
            running: running.fingerprints, saved: saved, layout
        ).filter { $0 == "trust" || $0.hasPrefix("credentials.") }
        let plan = ReloadPlan(
            from: configuration, to: saved, references: Set(references), manifest,
            hasProvider: hasProvider)
        guard plan.restart.isEmpty else { throw .restartNeeded(plan.restart) }
        guard !plan.changed.isEmpty else {
            running = running.at(generation: saved.generation)
            noteRunning()
            client.send(.reloaded(generation: saved.generation, applied: []))
            return nil
        }
        do throws(SessionError) {
            let trust = try Preflight.recheck(saved, manifest, layout)
            // Before the files are opened: one that is replaced meanwhile needs another reload.
            let new = RunningConfiguration(
                saved, trust,
                systemTrust: saved.trustsSystem ? SystemTrust(layout).path : nil, layout)
            let credentials =
                plan.forProvider.isEmpty
                ? []
                : try Preflight.openCredentials(
                    of: saved, layout, handedOver: true, among: manifest.handedAnew(saved))
            let former = Reload.Former(
                running: running, asked: asked, resolved: resolved, servers: interface.servers)
            return Reload(client, plan, from: former, to: new, credentials)
        } catch {
            // The words for it are those of a start, which has them from the same look.
            throw .refused("what is saved would refuse a start")
        }
    }

    private func savedConfiguration() throws(ReloadRefusal) -> Configuration {
        let document: PreferencesDocument?
        do { document = try PreferencesStore(layout).read() } catch {
            throw .refused("the preferences cannot be read")
        }
        guard let saved = document?.configuration(configuration.identifier) else {
            throw .refused("its configuration was removed")
        }
        return saved
    }

    private func begin(_ reload: Reload) {
        reloading = reload
        // Settings that the provider asks for meanwhile wait for the end of it.
        isApplyingSettings = true
        let microseconds = Clock.monotonicNanoseconds / 1000
        notifier.send(["RELOADING=1", "MONOTONIC_USEC=\(microseconds)"])
        running = reload.new
        let literals = configuration.serverLiterals.map { ($0.name, [$0.address]) }
        // Names that are gone would be handed on for ever.
        resolved = resolved.filter { running.serverNames.contains($0.key) }
        noteResolved(Dictionary(literals) { $1 })
        let names = configuration.serverNames.filter { resolved[$0] == nil }
        guard !names.isEmpty else { return apply(reload) }
        // The first name of a kill switch takes resolvers that may be asked.
        followServers { [weak self] in
            self?.lookUp(names) { [weak self] in self?.apply(reload) }
        }
    }

    private func apply(_ reload: Reload) {
        guard isUnderWay(reload) else { return }
        putIntoForce(settings(for: reload)) { [weak self] reasons in
            guard let self, isUnderWay(reload) else { return }
            if let reason = reasons.first {
                return goBack(reload, .refused("\(reason.key): \(reason.text)"))
            }
            if let difference = interface.difference() {
                return goBack(reload, .refused(difference))
            }
            reload.plan.forProvider.isEmpty || !hasProvider ? finish(reload) : askProvider(reload)
        }
    }

    /// What the provider asks for under the new configuration; where that follows from no
    /// configuration, what it has asked for, until it asks anew.
    private func settings(for reload: Reload) -> NetworkSettings {
        let former = reload.former
        guard NetworkSettings.expected(of: former.running.configuration) == former.asked else {
            return former.asked
        }
        return NetworkSettings.expected(of: reload.new.configuration) ?? former.asked
    }

    private func askProvider(_ reload: Reload) {
        var change = ProviderChange(reload.new.configuration)
        change.trust = reload.new.trust
        change.systemTrust = reload.new.systemTrust
        change.resolved = resolved
        guard let provider, let number = provider.send(change, reload.credentials) else {
            return goBack(
                reload,
                .refused("what its provider is to be told is longer than its protocol allows"))
        }
        reload.credentials = []
        reload.question = number
        reload.deadline = loop.schedule(milliseconds: Self.providerMilliseconds) { [weak self] in
            self?.endReconfiguration(number, .refused("its provider did not answer"))
        }
    }

    /// Takes the answer of the provider, or that there is none.
    func endReconfiguration(_ number: Int64, _ refusal: ReloadRefusal?) {
        guard let reload = reloading, reload.question == number, isUnderWay(reload) else {
            return log.note("the provider answers a change that is no longer asked for")
        }
        loop.cancel(reload.deadline)
        reload.question = nil
        if let refusal { goBack(reload, refusal) } else { finish(reload) }
    }

    /// Whether there is one to be told of anything; one that is to end is not.
    private var hasProvider: Bool { provider != nil && status != .waiting }

    /// Goes on where the provider has ended that was asked: the next one is told all of it.
    func endWithoutProvider(_ reload: Reload) {
        loop.cancel(reload.deadline)
        reload.question = nil
        finish(reload)
    }

    private func finish(_ reload: Reload) {
        noteRunning()
        followIdleness()
        log.note(
            "generation \(configuration.generation) is in force: "
                + reload.plan.changed.joined(separator: ", "))
        end(
            reload,
            .reloaded(generation: configuration.generation, applied: reload.plan.changed))
    }

    /// Goes back to what was there before, as far as the host has changed it; the provider has not.
    private func goBack(_ reload: Reload, _ refusal: ReloadRefusal) {
        let former = reload.former
        running = former.running
        resolved = former.resolved
        interface.servers = former.servers
        if outside == nil {
            var surroundings = interface.surroundings
            surroundings.servers = former.servers
            adapt(to: surroundings)
        }
        log.note("a reload came to nothing: \(refusal)")
        putIntoForce(former.asked) { [weak self] reasons in
            guard let self, isUnderWay(reload) else { return }
            for reason in reasons { log.note("not back in force: \(reason.key): \(reason.text)") }
            end(reload, refusal.reply)
        }
    }

    private func end(_ reload: Reload, _ reply: ControlReply) {
        reloading = nil
        isApplyingSettings = false
        notifier.send(["READY=1"])
        reload.client.send(reply)
        takeWaiting()
    }

    private func isUnderWay(_ reload: Reload) -> Bool { reloading === reload && !isEnding }

    /// Has the record say what runs; of its name, by which a unit knows it, what it was started as.
    private func noteRunning() {
        record.generation = configuration.generation
        record.stopTimeout = configuration.stopTimeout
        noteRecord()
    }

    /// Writes the record anew.
    func noteRecord() {
        do throws(SystemError) { try directory.write(record) } catch { log.note(error.text) }
    }
}
