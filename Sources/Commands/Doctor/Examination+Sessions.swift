internal import LinuxSystem
internal import Preferences
internal import SessionHost
internal import TunnelModel

extension Examination {
    /// The providers that are installed.
    func providers() -> [DoctorFinding] {
        let installed = InstalledProvider.all(layout)
        var findings = installed.flatMap { provider -> [DoctorFinding] in
            if let problem = provider.problem { return [DoctorFinding(problem)] }
            let name = provider.identifier
            guard provider.manifest?.network == .host else { return [] }
            return [
                DoctorFinding(
                    .advice, "providerOnHostNetwork",
                    "\(name) runs on the network of the host, not in an empty one")
            ]
        }
        if installed.isEmpty {
            findings.append(
                DoctorFinding(
                    .advice, "providersMissing", "no provider is installed",
                    fix: "put its manifest into \(layout.providerDirectories.last ?? "")"))
        }
        return findings + resolver()
    }

    private func resolver() -> [DoctorFinding] {
        let path = layout.helper("utunctl-resolver")
        do throws(TrustedFile.Failure) {
            _ = try TrustedFile.openExecutable(path)
            return []
        } catch {
            return [
                DoctorFinding(
                    .advice, "resolverUnusable",
                    "\(path): \(error.problem): names of servers cannot be resolved",
                    fix: "install utunctl again, or write servers as addresses")
            ]
        }
    }

    /// What former sessions left, and living ones that cannot be reached.
    func sessions() -> [DoctorFinding] {
        let leftovers = Leftovers(layout)
        do throws(SessionError) {
            var findings = try leftovers.find().map(leftover)
            for identifier in try leftovers.markedIdentifiers().sorted() {
                guard let interface = try leftovers.interface(of: identifier), interface.isHeld,
                    try !isHeld(identifier)
                else { continue }
                let name = targets.target(identifier).name
                findings.append(
                    DoctorFinding(
                        .problem, "sessionHostUnreachable",
                        "\(name): a session that cannot be reached holds \(interface.name)",
                        fix: "utunctl stop \(name)"))
            }
            for block in leftovers.firewalls() where block.label.mode.blocks {
                guard try !isHeld(block.identifier) else { continue }
                let target = targets.target(block.identifier)
                let name = target.name
                let verb = block.label.lockdown == .always ? "unblock" : "stop"
                // Only what is saved and enabled can be started.
                let fix =
                    target.configuration?.enabled == true
                    ? "utunctl start \(name), or utunctl \(verb) \(name)"
                    : "utunctl unblock \(name)"
                findings.append(
                    DoctorFinding(
                        .problem, "hostBlocked",
                        "\(name): its kill switch lets nothing out, and it does not run",
                        fix: fix))
            }
            return findings + (try routesThatBlock(leftovers))
        } catch {
            return [DoctorFinding(Failure(error))]
        }
    }

    /// Kill switches without a firewall, of sessions that are gone: routes that lead nowhere.
    private func routesThatBlock(_ leftovers: Leftovers) throws(SessionError) -> [DoctorFinding] {
        let told = Set(leftovers.firewalls().filter(\.label.mode.blocks).map(\.identifier))
        let known = Set(SessionDirectory.identifiers(in: layout))
            .union(configurations.map(\.identifier)).subtracting(told)
        var findings: [DoctorFinding] = []
        for identifier in try leftovers.blocked(among: known.sorted()) {
            guard try !isHeld(identifier) else { continue }
            let name = targets.target(identifier).name
            findings.append(
                DoctorFinding(
                    .problem, "hostBlocked",
                    "\(name): its routes let nothing out, and it does not run",
                    fix: "utunctl unblock \(name)"))
        }
        return findings
    }

    private func leftover(_ finding: Leftovers.Finding) -> DoctorFinding {
        guard let identifier = finding.identifier else {
            return DoctorFinding(
                .problem, "leftovers",
                "a session that is gone left rules that lead to the table \(finding.subject)",
                fix: "utunctl repair")
        }
        let name = targets.target(identifier).name
        let fix = "utunctl repair \(name)"
        guard finding.kind == .record else {
            return DoctorFinding(
                .problem, "leftovers",
                "\(name): a session that is gone left the \(finding.kind.rawValue) "
                    + finding.subject, fix: fix)
        }
        return DoctorFinding(
            .advice, "leftovers",
            "\(name): its last session ended without a word, and its record does not say so",
            fix: "\(fix), or start it again")
    }

    private func isHeld(_ identifier: String) throws(SessionError) -> Bool {
        do { return try SessionDirectory(layout, identifier: identifier).lockIsHeld() } catch {
            throw .system(error)
        }
    }
}
