internal import Preferences
internal import TunnelModel

extension Preflight {
    /// Looks at all of a changed configuration that could refuse a start of it and may have become
    /// so while its tunnel runs; answers the anchors that it names.
    static func recheck(
        _ configuration: Configuration,
        _ manifest: ProviderManifest,
        _ layout: FileLayout
    ) throws(SessionError) -> [TrustAnchor] {
        let unenforced = configuration.unenforcedKeys
        guard unenforced.isEmpty else { throw .notEnforced(keys: unenforced) }
        if let material = configuration.misplacedMaterial.first { throw .misplaced(material) }
        try checkDNS(of: configuration, layout)
        if let problem = configuration.providerConfigurationProblem {
            throw .providerConfiguration(problem)
        }
        for name in manifest.credentials where configuration.credentials[name] == nil {
            throw .credentialNotConfigured(name)
        }
        if !configuration.serverNames.isEmpty { try checkResolver(layout) }
        return try anchors(of: configuration, manifest, layout)
    }
}
