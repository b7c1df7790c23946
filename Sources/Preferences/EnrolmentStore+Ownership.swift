internal import TunnelModel

/// Why a secret is not for a file to refer to.
package enum ForeignCredential: Equatable, Sendable {
    /// It lies outside the credentials directory.
    case absolute
    case ofConfiguration(String)
    case ofProfile(String)
}

extension EnrolmentStore {
    /// Throws where what is signed would be replaced by what another signed, or nobody: the
    /// profile itself, and those whose anchors a configuration that is replaced goes by.
    func checkSigners(of material: EnrolledMaterial, _ document: PreferencesDocument)
        throws(EnrolmentError)
    {
        let own = material.profile.identifier
        if let former = try signer(of: own), isOther(former, material) {
            throw .signerChanged(own, former: former, new: material.profile.signer)
        }
        var known: Set<String> = []
        let names = Set(material.tunnels.map(\.name))
        for configuration in document.configurations where names.contains(configuration.name) {
            for reference in configuration.enrolledTrust {
                guard let profile = AnchorReference(reference)?.profile, profile != own else {
                    continue
                }
                guard !known.contains(profile) else { continue }
                known.insert(profile)
                guard let former = try signer(of: profile), isOther(former, material) else {
                    continue
                }
                throw .signedConfiguration(
                    configuration.name, profile: profile, former: former,
                    new: material.profile.signer)
            }
        }
    }

    private func isOther(_ former: CertificateDescription, _ material: EnrolledMaterial) -> Bool {
        former.fingerprint != material.profile.signer?.fingerprint
    }

    /// Who signed a profile; of one that cannot be read nobody can tell that it was not signed.
    private func signer(of profile: String) throws(EnrolmentError) -> CertificateDescription? {
        do throws(ProfileError) { return try profiles.profile(profile)?.signer } catch {
            throw .formerUnusable(error)
        }
    }

    /// Throws where a configuration of the file newly refers to a secret that is not its own.
    ///
    /// Whoever wrote the file knows names, and is not to have a tunnel of his use what they are
    /// of; what an administrator referred to stays.
    func checkCredentials(
        of saved: [SavedConfiguration],
        _ former: [String: Configuration],
        _ material: EnrolledMaterial,
        _ document: PreferencesDocument
    ) throws(EnrolmentError) {
        var owners: [String: ForeignCredential]?
        for configuration in saved.map(\.configuration) {
            let known = former[configuration.identifier]?.credentials ?? [:]
            for (key, reference) in configuration.credentials.sorted(by: { $0.key < $1.key }) {
                guard known[key] != reference,
                    case .file(let path)? = CredentialReference(reference),
                    material.secrets[path] == nil
                else { continue }
                func refusal(_ reason: ForeignCredential) -> EnrolmentError {
                    .foreignCredential(configuration: configuration.name, key: key, reason)
                }
                if path.hasPrefix("/") { throw refusal(.absolute) }
                let all = owners ?? self.owners(except: material, document)
                owners = all
                if let owner = all[path] { throw refusal(owner) }
            }
        }
    }

    /// Whose each secret is, but for those of the profile and of configurations that go by it.
    private func owners(except material: EnrolledMaterial, _ document: PreferencesDocument)
        -> [String: ForeignCredential]
    {
        var owners: [String: ForeignCredential] = [:]
        for name in profiles.names where name != material.profile.identifier {
            for file in (try? profiles.profile(name))?.credentials ?? [] {
                owners[file] = .ofProfile(name)
            }
        }
        let own = Set(material.tunnels.map(\.name))
        for configuration in document.configurations where !own.contains(configuration.name) {
            let isOfProfile = configuration.enrolledTrust.contains {
                AnchorReference($0)?.profile == material.profile.identifier
            }
            guard !isOfProfile else { continue }
            for file in configuration.credentialFiles(layout) {
                owners[file] = .ofConfiguration(configuration.name)
            }
        }
        return owners
    }
}
