internal import Glibc
internal import LinuxSystem
internal import Preferences
internal import SessionHost
internal import TunnelModel

extension Examination {
    /// The preferences, the credentials and the directories that hold them.
    func files() -> [DoctorFinding] {
        preferences() + enrolment() + modes() + credentials()
    }

    private func enrolment() -> [DoctorFinding] {
        guard EnrolmentStore(layout).isUnsettled else { return [] }
        return [
            DoctorFinding(
                .problem, "enrolmentUnsettled", "an enrolment did not come to its end",
                fix: "utunctl repair")
        ]
    }

    private func preferences() -> [DoctorFinding] {
        targets.problem.map { [DoctorFinding($0)] } ?? []
    }

    private func modes() -> [DoctorFinding] {
        var findings: [DoctorFinding] = []
        let directory = AtomicFile.split(layout.preferences).directory
        let places = [directory, layout.profilesDirectory, layout.runtimeDirectory]
        for path in places + layout.providerDirectories {
            guard let problem = TrustedFile.problem(ofDirectory: path) else { continue }
            findings.append(
                DoctorFinding(
                    .problem, "directoryUnsafe", "\(path): \(problem)",
                    fix: "chown root \(path) && chmod 0755 \(path)"))
        }
        if let mode = permissions(of: layout.preferences), mode & 0o007 != 0 {
            findings.append(
                DoctorFinding(
                    .advice, "preferencesLax",
                    "\(layout.preferences): mode \(octal(mode)) lets everybody read it",
                    fix: "chmod 0600 \(layout.preferences)"))
        }
        return findings
    }

    private func credentials() -> [DoctorFinding] {
        let directory = layout.credentialsDirectory
        let names: [String]
        let store = CredentialStore(layout)
        do throws(PreferencesError) { names = try store.names() } catch {
            return [
                DoctorFinding(
                    .advice, "credentialsUnreadable", Failure(error).text,
                    fix: "run as root to look at them")
            ]
        }
        var findings: [DoctorFinding] = []
        if let mode = permissions(of: directory), mode & 0o077 != 0 {
            findings.append(
                DoctorFinding(
                    .problem, "credentialsDirectoryUnsafe",
                    "\(directory): mode \(octal(mode)) lets others in",
                    fix: "chmod 0700 \(directory)"))
        }
        // What an enabled configuration refers to is looked at with it.
        let referred = Set(
            configurations.filter(\.enabled).flatMap(\.credentials.values).compactMap {
                if case .file(let path) = CredentialReference($0) { path } else { nil }
            })
        for name in names where !referred.contains(name) {
            do throws(CredentialError) { _ = try store.open(name, "file:\(name)") } catch {
                findings.append(
                    DoctorFinding(
                        .problem, "credentialUnsafe", "\(error.path): \(error.problem)",
                        fix: error.remedy))
            }
        }
        return findings
    }

    /// The profiles that are enrolled: those that end soon, and those that are no good to a
    /// configuration to come.
    func profiles() -> [DoctorFinding] {
        let store = ProfileStore(layout)
        let names = store.names
        // What is wrong with one that an enabled configuration names is told of its start.
        let named = Set(configurations.filter(\.enabled).flatMap(\.trustedProfiles))
        return names.compactMap { name -> DoctorFinding? in
            do throws(ProfileError) {
                let warning = try store.profile(name)?.validity(at: .now).warning(ofProfile: name)
                guard let warning, warning.code == .trustExpiring || !named.contains(name) else {
                    return nil
                }
                return DoctorFinding(.advice, warning.code.rawValue, warning.text)
            } catch {
                return named.contains(name) ? nil : DoctorFinding(Failure(error))
            }
        }
    }

    private func permissions(of path: String) -> UInt32? {
        var status = stat()
        return stat(path, &status) == 0 ? status.st_mode & 0o7777 : nil
    }

    private func octal(_ mode: UInt32) -> String { "0\(String(mode, radix: 8))" }
}
