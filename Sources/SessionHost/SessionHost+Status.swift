internal import Glibc
internal import JSON
internal import KernelNetwork
internal import LinuxSystem
internal import TunnelModel

extension SessionHost {
    /// A thousand peers take a fifth of this.
    private static let longestReport = 1 << 20

    /// Answers a question for the status; a provider that is or was connected is asked first.
    ///
    /// While it reasserts, when the other end was last verified is what matters.
    func answerStatus(_ client: ControlServer.Client, asker: String) {
        guard status == .connected || status == .reasserting, let provider else {
            return client.send(.status(report(answered: nil, asker: asker)))
        }
        guard let id = query.join(client, asker: asker) else { return }
        provider.send(.query(id: id))
        query.timer = loop.schedule(milliseconds: ProviderQuery.milliseconds) { [weak self] in
            self?.endQuery(nil)
        }
    }

    /// Takes the provider's answer; of one that is too long only the time is passed on.
    func receiveReport(id: Int64, _ report: ProviderReport) {
        guard query.isUnderWay, id == query.lastID else { return }
        var report = report
        // Escaping can make it six times as long as it came.
        if JSONWriter.line(report.details).count > Self.longestReport {
            log.relay("host", "the provider's report is too long to be shown")
            report.details = JSONObject()
        }
        endQuery(report)
    }

    private func endQuery(_ providerReport: ProviderReport?) {
        loop.cancel(query.timer)
        let warning = providerReport?.unverifiedWarning(sought: running.soughtPeers)
        for (client, asker) in query.end() {
            var report = report(answered: providerReport != nil, asker: asker)
            report.providerReport = providerReport
            report.warnings += [warning].compactMap(\.self)
            client.send(.status(report))
        }
    }

    private func report(answered: Bool?, asker: String) -> SessionReport {
        var report = SessionReport(
            configuration: configuration, attempt: request.attempt, origin: record.origin,
            status: status, started: started, networkNamespace: networkNamespace,
            hostPID: getpid(),
            interface: SessionReport.Interface(
                name: interface.name, index: Int(interface.index), mtu: interface.mtu))
        report.hostVersion = ProgramVersion.current
        report.interface.mtuOrigin = interface.inForce.settings?.mtuOrigin
        report.lastTransition = transitions.last?.number ?? 0
        report.reason = statusReason
        report.connectedSince = connectedSince
        report.providerPID = provider?.pid
        report.providerAnswered = status == .connected ? answered : nil
        report.addresses = interface.inForce.addresses
        report.routes = interface.inForce.routes.map(\.destination)
        report.rules = interface.isPaused ? [] : interface.inForce.rules.map(\.description)
        report.barriers = interface.inForce.barriers.map(\.description)
        report.routing = routingReport
        report.reconnects = reconnects
        report.restored = interface.restored
        report.restored.firewall = firewall?.restored ?? 0
        report.firewall = firewallReport
        report.restored.dns = resolver?.restored ?? 0
        report.dns = resolverReport
        report.leftOut = leftOut
        report.warnings = warnings + routeWarnings + (resolver?.warnings ?? [])
        report.fingerprints = running.fingerprints
        if asker != networkNamespace { report.kernel = try? interface.reading() }
        return report
    }
}
