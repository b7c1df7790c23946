internal import Glibc
internal import OnDemand
internal import Preferences
internal import TunnelModel

extension Examination {
    /// Whether rules are followed, and whether what they need is there.
    func onDemand() -> [DoctorFinding] {
        let armed = configurations.filter(\.isArmed)
        guard !armed.isEmpty else { return [] }
        return follower(armed) + probes(armed) + suspended(armed)
    }

    private func follower(_ armed: [Configuration]) -> [DoctorFinding] {
        guard !OnDemandFiles(layout).isServiceRunning else { return [] }
        return [
            DoctorFinding(
                .problem, "onDemandNotRunning",
                "nobody follows the rules of \(armed.map(\.name).joined(separator: ", "))",
                fix: "systemctl enable --now utunctl-ondemand.service")
        ]
    }

    private func probes(_ armed: [Configuration]) -> [DoctorFinding] {
        let probing = armed.filter { $0.onDemand.rules.contains { $0.probeURL != nil } }
        guard !probing.isEmpty, access(ProbeRun.program(layout), X_OK) != 0 else { return [] }
        return [
            DoctorFinding(
                .problem, "probeProgramMissing",
                "there is no curl, so that no rule with a probeURL matches:"
                    + " \(probing.map(\.name).joined(separator: ", "))",
                fix: "apt-get install curl")
        ]
    }

    private func suspended(_ armed: [Configuration]) -> [DoctorFinding] {
        let record = OnDemandFiles(layout).record()
        return armed.compactMap { configuration in
            guard let entry = record?.entry(configuration.identifier), entry.state == .suspended
            else { return nil }
            return DoctorFinding(
                .problem, "onDemandSuspended",
                "\(configuration.name): \(OnDemandReport(entry).text(name: configuration.name))",
                fix: "utunctl ondemand resume \(configuration.name)")
        }
    }
}
