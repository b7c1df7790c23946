internal import Preferences
internal import TunnelModel

extension Context {
    /// Tells which files of former configurations nothing refers to any more.
    func noteWhatStays(of configurations: [Configuration], as verb: String) {
        let document = (try? preferences()) ?? PreferencesDocument()
        for configuration in configurations {
            let staying = filesLeft(of: configuration, document)
            guard !staying.isEmpty else { continue }
            let more = staying.count > 4 ? " and \(staying.count - 4) more" : ""
            output.note(
                "\(verb) \(configuration.name): what it referred to stays: "
                    + staying.prefix(4).joined(separator: ", ") + more)
        }
    }

    private func filesLeft(of configuration: Configuration, _ document: PreferencesDocument)
        -> [String]
    {
        let credentials = CredentialStore(layout)
        let files = configuration.credentialFiles(layout)
        let left = files.subtracting(document.referredCredentials(layout)).sorted()
            .filter(credentials.contains)
        let profiles = ProfileStore(layout)
        // A profile without anchors is known by the secrets that came with it.
        let named = Set(configuration.trust.compactMap { AnchorReference($0)?.profile })
        let own = profiles.names.filter { name in
            guard document.users(ofProfile: name).isEmpty else { return false }
            if named.contains(name) { return true }
            let brought = (try? profiles.profile(name))?.credentials ?? []
            return !left.isEmpty && brought.contains(where: left.contains)
        }
        return left.map { "the credential \($0)" } + own.map { "the profile \($0)" }
    }
}
