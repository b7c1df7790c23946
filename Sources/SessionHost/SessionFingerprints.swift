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

    /// The keys in which what runs differs from what is saved, sorted.
    ///
    /// Only what this reader can see counts: a secret in a directory that is closed to it, or
    /// that a service manager handed to the session alone, is no reason for a restart. One
    /// that the configuration no longer names shows in `credentials`.
    package static func differences(
        running: [String: String],
        saved configuration: Configuration,
        _ layout: FileLayout
    ) -> [String] {
        of(configuration.normalized().configuration, layout)
            .filter { running[$0.key] != $0.value }.keys.sorted()
    }
}
