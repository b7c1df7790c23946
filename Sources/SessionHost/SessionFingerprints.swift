internal import JSON
package import Preferences
package import TunnelModel

/// What a running session depends on, as hashes: they differ where a restart is needed.
package enum SessionFingerprints {
    /// The parts of a configuration, the values of its anchors and the identity of its secrets'
    /// files.
    ///
    /// `anchors` are those that the session was started with; `nil` reads what is enrolled.
    package static func of(
        _ configuration: Configuration,
        anchors: [TrustAnchor]? = nil,
        _ layout: FileLayout
    ) -> [String: String] {
        var prints = configuration.fingerprints
        prints["trust"] = trust(of: configuration, anchors, ProfileStore(layout))
        let store = CredentialStore(layout)
        for (name, reference) in configuration.credentials {
            prints["credentials.\(name)"] = store.fingerprint(name, reference)
        }
        return prints
    }

    // An anchor that is gone differs from each value; of a profile that cannot be read nothing
    // is known. Whether its time is over is a matter of starts.
    private static func trust(
        of configuration: Configuration,
        _ anchors: [TrustAnchor]?,
        _ store: ProfileStore
    ) -> String? {
        var values: [String: String] = [:]
        if let anchors {
            for anchor in anchors { values[anchor.name] = anchor.value }
        } else {
            for name in configuration.trustedProfiles {
                let profile: EnrolledProfile?
                do { profile = try store.profile(name) } catch { return nil }
                for anchor in profile?.anchors ?? [] {
                    values[anchor.named(in: name).name] = anchor.value
                }
            }
        }
        let parts = configuration.trust.flatMap { [$0, values[$0] ?? ""] }
        return Fingerprint(of: JSONWriter.line(parts)).text
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
