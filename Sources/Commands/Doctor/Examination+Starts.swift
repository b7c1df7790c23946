internal import Glibc
internal import LinuxSystem
internal import Preferences
internal import SessionHost
internal import TunnelModel

extension Examination {
    /// What `start` would refuse of each enabled configuration.
    func starts() -> [DoctorFinding] {
        configurations.filter(\.enabled).flatMap { configuration in
            refusals(configuration)
                .map { DoctorFinding($0, of: configuration.name) }
                + credentials(of: configuration)
        }
    }

    private func refusals(_ configuration: Configuration) -> [Failure] {
        StartRefusal.all(of: configuration, layout).compactMap { refusal in
            switch refusal.error {
            // The others were said of the provider, once for all configurations.
            case .provider(.notInstalled): return Failure(refusal.error)
            // Told with what mends them.
            case .provider, .credential: return nil
            default: return Failure(refusal.error)
            }
        }
    }

    private func credentials(of configuration: Configuration) -> [DoctorFinding] {
        let store = CredentialStore(layout)
        var findings: [DoctorFinding] = []
        for (name, reference) in configuration.credentials.sorted(by: { $0.key < $1.key }) {
            // Those of systemd are there only while a unit runs.
            guard case .file(let path) = CredentialReference(reference) else { continue }
            let whole = path.hasPrefix("/") ? path : "\(layout.credentialsDirectory)/\(path)"
            // What this user may not look at tells nothing of what root would find.
            if access(whole, F_OK) != 0, errno == EACCES { continue }
            do throws(CredentialError) { _ = try store.open(name, reference) } catch {
                let failure = Failure(SessionError.credential(error))
                findings.append(DoctorFinding(failure, of: configuration.name))
            }
        }
        return findings
    }
}
