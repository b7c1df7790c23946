internal import Preferences
internal import SessionHost
internal import TunnelModel

/// What is to be said of the profiles that configurations trust; each is read once.
struct TrustReadings {
    /// By the name of the profile; one that cannot be read is not among them.
    private let found: [String: TunnelWarning]

    init(_ layout: FileLayout, _ configurations: [Configuration], at now: Timestamp = .now) {
        let store = ProfileStore(layout)
        var found: [String: TunnelWarning] = [:]
        for name in Set(configurations.flatMap(\.trustedProfiles)) {
            do throws(ProfileError) {
                guard let profile = try store.profile(name) else {
                    found[name] = .missing(profile: name)
                    continue
                }
                found[name] = profile.validity(at: now).warning(ofProfile: name)
            } catch {
                // What this user may not read is no reason for a warning.
                continue
            }
        }
        self.found = found
    }

    /// The warnings for one configuration, in the order in which it names the profiles.
    func warnings(for configuration: Configuration) -> [TunnelWarning] {
        configuration.trustedProfiles.compactMap { found[$0] }
    }
}
