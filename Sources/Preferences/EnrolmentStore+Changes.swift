internal import LinuxSystem
internal import TunnelModel

extension EnrolmentStore {
    /// What enrolling changes of what is there already.
    func changes(by material: EnrolledMaterial, _ former: EnrolledProfile?) -> EnrolmentChanges {
        let written = material.secrets.filter { !holds($0.value, as: $0.key) }.map(\.key)
        return EnrolmentChanges(
            by: material, former: former, written: Set(written),
            existing: Set(written.filter(credentials.contains)))
    }

    /// Throws where another configuration uses what would be replaced under it.
    func checkUsers(
        of material: EnrolledMaterial,
        _ changes: EnrolmentChanges,
        _ document: PreferencesDocument
    ) throws(EnrolmentError) {
        let names = Set(material.tunnels.map(\.name))
        var others = document
        others.configurations.removeAll { names.contains($0.name) }
        guard !others.configurations.isEmpty else { return }
        // A new tunnel does not share the secrets of another one, even where they are the same.
        let known = Set(document.configurations.map(\.name))
        let new = material.tunnels.filter { !known.contains($0.name) }.compactMap(\.wireGuard)
            .flatMap(\.secrets.keys).filter(credentials.contains)
        for file in Set(changes.replacedCredentials).union(new).sorted() {
            let users = others.users(ofCredential: file, layout)
            guard users.isEmpty else { throw .credentialInUse(file, by: users) }
        }
        // Anchors that their issuer has named are replaced for all who trust them; a number says
        // nothing of who it is.
        guard material.tunnels.contains(where: { $0.wireGuard != nil }) else { return }
        for configuration in others.configurations {
            guard let anchor = changes.anchor(changedUnder: configuration) else { continue }
            throw .anchorInUse(anchor, by: others.users(ofProfile: material.profile.identifier))
        }
    }

    /// Throws where a file that would be made is there.
    func checkAbsence(of material: EnrolledMaterial) throws(EnrolmentError) {
        for name in material.secrets.keys.sorted() where credentials.contains(name) {
            throw .fileExists(path: EnrolledFile.credential(name).path(in: layout))
        }
        let profile = material.profile.identifier
        if Directory.holds(EnrolledFile.profile(profile).path(in: layout)) {
            throw .profileExists(profile)
        }
    }

    /// Whether a secret is there as it would be written.
    private func holds(_ secret: Secret, as file: String) -> Bool {
        guard let descriptor = try? credentials.open(file, "file:\(file)") else { return false }
        return (try? descriptor.readAll(limit: secret.bytes.count)) == secret.bytes
    }
}

extension EnrolledProfile {
    /// The public keys of its peers, by the names by which configurations refer to them.
    var wireGuardKeys: [String: String] {
        Dictionary(
            anchors.filter { $0.kind == .wireguard }.map {
                ($0.named(in: identifier).name, $0.value)
            }
        ) { first, _ in first }
    }
}
