internal import LinuxSystem
internal import SessionHost
internal import TunnelModel

/// What a session has set and the kernel does not show, or what its peer does not prove.
enum StatusDifferences {
    /// The age from which a peer counts as lost where nothing else is said, in seconds: the
    /// time after which WireGuard's own keys are worth nothing (REJECT_AFTER_TIME).
    static let staleAge: Int64 = 180

    /// All differences, each by its code and value.
    static func between(
        _ session: SessionReport,
        _ kernel: KernelReading?,
        _ saved: Configuration?
    ) -> [TunnelWarning] {
        var warnings: [TunnelWarning] = []
        if let kernel, let link = kernel.link {
            if !link.isUp {
                warnings.append(TunnelWarning(.linkDown, "\(link.name) was set down"))
            }
            for address in session.addresses where !kernel.addresses.contains(address) {
                warnings.append(
                    TunnelWarning(.addressMissing, "\(link.name) lacks the address \(address)"))
            }
            let routes = Set(kernel.routes)
            for route in session.routes where !routes.contains(route) {
                warnings.append(TunnelWarning(.routeMissing, "the route to \(route) is missing"))
            }
            let barriers = Set(kernel.barriers)
            for route in session.barriers where !barriers.contains(route) {
                warnings.append(TunnelWarning(.routeMissing, "the route \(route) is missing"))
            }
            for rule in session.rules where !kernel.rules.contains(rule) {
                warnings.append(TunnelWarning(.ruleMissing, "the rule \(rule) is missing"))
            }
        }
        if !session.leftOut.isEmpty {
            let list = session.leftOut.map(\.description).joined(separator: ", ")
            warnings.append(
                TunnelWarning(
                    .ipv6Unavailable, "IPv6 is switched off on this host; left out: \(list)"))
        }
        warnings += session.warnings
        if let warning = version(session) { warnings.append(warning) }
        if let warning = staleness(session, saved) { warnings.append(warning) }
        return warnings
    }

    /// What is missing of the firewall of a session.
    static func firewall(_ reading: FirewallReading) -> [TunnelWarning] {
        guard let mode = reading.mode, mode != .none, reading.isPresent == false else { return [] }
        let text =
            mode.blocks
            ? "the kill switch is not in the kernel as it was written"
            : "the rules against packets that do not come by the tunnel are missing"
        return [TunnelWarning(.firewallMissing, text)]
    }

    /// The note on a session host that an upgrade of the program has left as it was.
    private static func version(_ session: SessionReport) -> TunnelWarning? {
        guard session.hostVersion != ProgramVersion.current else { return nil }
        let version = session.hostVersion.map { "of version " + $0.madePrintable(limit: 64) }
        return TunnelWarning(
            .olderHost,
            "its session host is \(version ?? "older"), and this program of version"
                + " \(ProgramVersion.current); utunctl restart \(session.name)")
    }

    private static func staleness(_ session: SessionReport, _ saved: Configuration?)
        -> TunnelWarning?
    {
        guard let verified = session.providerReport?.lastVerified else { return nil }
        let limit: Int64
        if let saved {
            // Without an interval nobody promised a proof; the report shows the time alone.
            guard let interval = saved.livenessInterval else { return nil }
            limit = max(staleAge, Int64(interval) + 60)
        } else {
            limit = staleAge
        }
        let age = (Timestamp.now.microseconds - verified.microseconds) / 1_000_000
        guard age > limit else { return nil }
        return TunnelWarning(.peerStale, "the peer was last verified \(age) s ago")
    }
}
