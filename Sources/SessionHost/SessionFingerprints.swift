package import Preferences
package import TunnelModel

/// What a running session depends on, as hashes: they differ where a restart is needed.
package enum SessionFingerprints {
    /// The parts of a configuration and the identity of its secrets' files.
    package static func of(_ configuration: Configuration, _ layout: FileLayout)
        -> [String: String]
    {
        var prints = configuration.fingerprints
        let store = CredentialStore(layout)
        for (name, reference) in configuration.credentials {
            prints["credentials.\(name)"] = store.fingerprint(name, reference)
        }
        return prints
    }
}
