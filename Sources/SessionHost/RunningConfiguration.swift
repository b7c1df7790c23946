internal import Preferences
internal import TunnelModel

/// What a session runs: a configuration, with what it refers to and what follows from it.
struct RunningConfiguration {
    let configuration: Configuration
    let trust: [TrustAnchor]
    let systemTrust: String?
    let fingerprints: [String: String]
    private(set) lazy var soughtPeers = configuration.soughtPeers
    private(set) lazy var serverNames = Set(configuration.serverNames)

    /// A configuration with host bits cleared, and the anchors that it names.
    init(
        _ configuration: Configuration,
        _ trust: [TrustAnchor],
        systemTrust: String?,
        _ layout: FileLayout
    ) {
        self.configuration = configuration
        self.trust = trust
        self.systemTrust = systemTrust
        fingerprints = SessionFingerprints.of(configuration, anchors: trust, layout)
    }

    /// The same under another generation, where that is all that has changed.
    func at(generation: UInt64) -> RunningConfiguration {
        var configuration = configuration
        configuration.generation = generation
        return RunningConfiguration(configuration, like: self)
    }

    private init(_ configuration: Configuration, like other: RunningConfiguration) {
        self.configuration = configuration
        trust = other.trust
        systemTrust = other.systemTrust
        fingerprints = other.fingerprints
    }
}
