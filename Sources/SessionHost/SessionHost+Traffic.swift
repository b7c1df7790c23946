internal import KernelNetwork
internal import LinuxSystem
internal import Preferences
internal import TunnelModel

// A session whose provider runs only while something goes through its tunnel.

extension SessionHost {
    /// Refuses to wait for packets to a tunnel of which nobody knows where it leads.
    static func refuseWaiting(_ configuration: Configuration, _ request: StartRequest)
        throws(SessionError)
    {
        guard request.waitsForTraffic, configuration.settingsWithoutProvider == nil else { return }
        throw .settingsUnknown(provider: configuration.provider)
    }

    /// Puts into force what follows from the configuration alone.
    func anticipateSettings() {
        guard let settings = configuration.settingsWithoutProvider else {
            return handle(
                .anticipationFailed(DisconnectReason(.internalError, "nothing is known of it")))
        }
        do throws(NetlinkError) { try interface.silence() } catch { log.note(error.description) }
        noteResolved(
            Dictionary(configuration.serverLiterals.map { ($0.name, [$0.address]) }) { $1 })
        isApplyingSettings = true
        putIntoForce(settings) { [weak self] reasons in
            guard let self else { return }
            isApplyingSettings = false
            if let reason = reasons.first {
                let text = "\(reason.key): \(reason.text)"
                handle(.anticipationFailed(DisconnectReason(.networkSettingsRejected, text)))
            } else if let difference = interface.difference() {
                handle(.anticipationFailed(DisconnectReason(.internalError, difference)))
            } else {
                handle(.anticipated)
            }
            takeWaiting()
        }
    }

    /// Waits for a packet, which stays where it is: the provider reads it.
    func watchTraffic() {
        // Opened for this start; the next one finds what is there by then.
        preflight = nil
        for queue in interface.queues {
            do throws(SystemError) {
                try loop.add(queue) { [weak self] readiness in
                    // Of an interface that was removed the kernel's events tell.
                    guard readiness.contains(.readable) else {
                        return self?.loop.remove(queue) ?? ()
                    }
                    self?.handle(.woken)
                }
            } catch {
                stop(DisconnectReason(.internalError, error.text))
            }
        }
    }

    /// Leaves the packets to the provider.
    func unwatchTraffic() {
        for queue in interface.queues { loop.remove(queue) }
    }

    /// Connects because somebody asks for it; a person's tunnel is theirs from then on.
    func connect(for origin: SessionOrigin, _ client: ControlServer.Client) {
        if origin == .ondemand {
            do throws(SessionError) { try directory.refuseHeld() } catch {
                return client.send(.refused(text: "On Demand may not have it connect"))
            }
        } else if record.origin == .ondemand {
            record.origin = origin
            noteRecord()
            liftHold()
        }
        handle(.woken)
        client.send(.told)
    }

    /// Lets go of a provider that has ended while the session goes on.
    func forgetProvider(idle: String) {
        lastDisconnect = Disconnect(
            attempt: request.attempt, time: .now, reason: DisconnectReason(.idle, idle))
        endQuery(nil)
        provider = nil
        removeControlSocket()
        warnings.removeAll { [.controlSocketTaken, .controlSocketMissing].contains($0.code) }
        openedSockets = 0
        connectedSince = nil
        lookups = [:]
        waitingSettings = []
        if let reload = reloading, reload.question != nil { endWithoutProvider(reload) }
    }

    /// What the provider inherits; for any but the first one it is opened anew.
    func takePreflight() throws(DisconnectReason) -> Preflight {
        if let first = preflight.take() { return first }
        do throws(SessionError) {
            let preflight = try Preflight(configuration, layout)
            running = RunningConfiguration(
                configuration, preflight.trust, systemTrust: preflight.systemTrust, layout)
            return preflight
        } catch {
            throw DisconnectReason(refusing: error)
        }
    }
}

extension DisconnectReason {
    /// The end of a session whose provider can no longer be started.
    fileprivate init(refusing error: SessionError) {
        switch error {
        case .provider:
            self.init(.providerNotInstalled, "its provider is not there any more")
        case .profile, .systemTrustMissing:
            self.init(.trustAnchorMissing, "what it trusts is not there any more")
        case .credential(let error):
            self.init(
                .providerRefused,
                "the credential \(error.name) cannot be used: \(error.path): \(error.problem)")
        case .firewall(let error): self.init(.internalError, "no firewall: \(error.text)")
        case .device(let error), .system(let error): self.init(.internalError, error.text)
        default: self.init(.providerRefused, "a start of it would be refused by now")
        }
    }
}
