internal import Preferences
internal import SessionHost
internal import TunnelModel

/// Looks whether names are asked for beside a tunnel.
struct NameLeaks {
    let report: TunnelReport
    let survey: ResolverSurvey

    /// What is to be said of the servers that names are asked of; `probes` are those of the
    /// servers themselves.
    func findings(_ probes: [LeakProbe]) -> [DoctorFinding] {
        let outside = probes.filter { probe in
            guard case .outside = probe.way, probe.sender == .host else { return false }
            return !probe.isDropped && survey.servers.contains(probe.destination)
        }
        return outside.map { probe in
            DoctorFinding(
                takesAll ? .problem : .advice, "namesOutside",
                "names are asked of \(probe.destination), beside the tunnel", fix: fix)
        } + links()
    }

    private var name: String { report.name ?? report.identifier }

    /// Of a tunnel that brings servers, the settings are not at fault.
    private var fix: String {
        if report.firewall.pausedUntil != nil { return "utunctl pause \(name) --end" }
        guard report.session?.dns.settings.servers.isEmpty == false else {
            return "utunctl save \(name) --set 'dns.servers=[\"ADDRESS\"]', and restart it"
        }
        return "utunctl status \(name) says what is not as it should be"
    }

    /// Whether the tunnel is there for everything.
    private var takesAll: Bool {
        let routes = report.session?.routes ?? []
        return report.session?.routing.mode == .all || routes.contains(where: \.isDefault)
    }

    /// Other links that systemd-resolved asks: of the same name all that are in question.
    private func links() -> [DoctorFinding] {
        let own = UInt32(report.session?.interface.index ?? 0)
        let asksAll = survey.links.contains { $0.index == own && $0.domains.contains(".") }
        return survey.links.filter { $0.index != own }.compactMap { link in
            if link.domains.contains(".") {
                return DoctorFinding(
                    takesAll ? .problem : .advice, "namesOutside",
                    "systemd-resolved asks the servers of \(link.name) for all names",
                    fix: "resolvectl domain \(link.name) ''")
            }
            if !link.domains.isEmpty {
                return DoctorFinding(
                    .advice, "namesOutside",
                    "systemd-resolved asks the servers of \(link.name) for names below "
                        + link.domains.joined(separator: ", "),
                    fix: "resolvectl domain \(link.name) ''")
            }
            guard link.isDefault, !asksAll, takesAll else { return nil }
            return DoctorFinding(
                .problem, "namesOutside",
                "systemd-resolved asks the servers of \(link.name) for names, as the tunnel brings"
                    + " none",
                fix: "utunctl save \(name) --set 'dns.servers=[\"ADDRESS\"]', and restart it")
        }
    }
}
