internal import Glibc
internal import LinuxSystem
internal import Preferences
internal import SessionHost
internal import TunnelModel

extension Examination {
    /// What `start` would refuse of each enabled configuration.
    func starts() -> [DoctorFinding] {
        let registry = ProviderRegistry(layout)
        let enabled = configurations.filter(\.enabled)
        let findings = enabled.flatMap { configuration in
            refusals(configuration, registry)
                .map { DoctorFinding($0, of: configuration.name) }
                + credentials(of: configuration)
        }
        guard findings.isEmpty, !enabled.isEmpty else { return findings }
        return [DoctorFinding(.ok, "configurations", "start would refuse none that is enabled")]
    }

    private func refusals(_ configuration: Configuration, _ registry: ProviderRegistry)
        -> [Failure]
    {
        var failures: [Failure] = []
        let keys = configuration.unenforcedKeys
        if !keys.isEmpty { failures.append(Failure(SessionError.notEnforced(keys: keys))) }
        failures += configuration.misplacedMaterial.map { Failure(SessionError.misplaced($0)) }
        if let problem = configuration.providerConfigurationProblem {
            failures.append(Failure(SessionError.providerConfiguration(problem)))
        }
        if !configuration.serverNames.isEmpty {
            let path = layout.helper("utunctl-resolver")
            do throws(TrustedFile.Failure) { _ = try TrustedFile.openExecutable(path) } catch {
                failures.append(Failure(SessionError.resolver(path: path, problem: error.problem)))
            }
        }
        do throws(ProviderError) {
            let manifest = try registry.manifest(of: configuration.provider)
            for name in manifest.credentials where configuration.credentials[name] == nil {
                failures.append(Failure(SessionError.credentialNotConfigured(name)))
            }
            if let refusal = SessionError.trustRefusal(by: manifest, configuration, layout) {
                failures.append(Failure(refusal))
            }
            failures += ProfileStore(layout)
                .problems(of: configuration.enrolledTrust, for: manifest.trust)
                .map { Failure($0.error) }
        } catch {
            // The others were said of the provider, once for all configurations.
            if case .notInstalled = error { failures.append(Failure(error)) }
        }
        return failures
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
                let isThere = access(whole, F_OK) == 0
                findings.append(
                    DoctorFinding(
                        .problem, failure.code, "\(configuration.name): \(failure.text)",
                        fix: isThere
                            ? "chown root \(error.path) && chmod 0600 \(error.path)"
                            : "write the secret to \(error.path), with mode 0600"))
            }
        }
        return findings
    }
}
