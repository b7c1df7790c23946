internal import Glibc
internal import LinuxSystem
package import Preferences
package import TunnelModel

/// What a start would be refused for, and the key of the configuration that it is about.
package struct StartRefusal: Equatable, Sendable {
    package let key: String
    package let error: SessionError

    /// All that follows from what is saved and installed, whatever else runs on this host.
    ///
    /// Without the device and the right to use it, which every configuration lacks alike.
    package static func all(of configuration: Configuration, _ layout: FileLayout)
        -> [StartRefusal]
    {
        var refusals: [StartRefusal] = []
        func check(_ key: String, _ body: () throws(SessionError) -> Void) {
            do throws(SessionError) { try body() } catch {
                refusals.append(StartRefusal(key: key, error: error))
            }
        }
        let unenforced = configuration.unenforcedKeys
        if let first = unenforced.first {
            check(first) { () throws(SessionError) in throw .notEnforced(keys: unenforced) }
        }
        for material in configuration.misplacedMaterial {
            refusals.append(StartRefusal(key: material.path, error: .misplaced(material)))
        }
        if let problem = configuration.providerConfigurationProblem {
            check("providerConfiguration") { () throws(SessionError) in
                throw .providerConfiguration(problem)
            }
        }
        check("dns") { () throws(SessionError) in
            try Preflight.checkDNS(of: configuration, layout)
        }
        check("interface.networkNamespace") { () throws(SessionError) in
            try Preflight.checkNamespace(of: configuration, layout)
        }
        check("routing") { () throws(SessionError) in
            try Preflight.checkFirewall(for: configuration)
        }
        if !configuration.serverNames.isEmpty {
            check("serverAddress") { () throws(SessionError) in
                try Preflight.checkResolver(layout)
            }
        }
        refusals += ofProvider(configuration, layout)
        refusals += ofCredentials(configuration, layout)
        return refusals.filter { !$0.isPassing }.map(\.precise)
    }

    private static func ofProvider(_ configuration: Configuration, _ layout: FileLayout)
        -> [StartRefusal]
    {
        let registry = ProviderRegistry(layout)
        var refusals: [StartRefusal] = []
        var manifest: ProviderManifest?
        do throws(ProviderError) {
            let found = try registry.manifest(of: configuration.provider)
            manifest = found
            if let error = SessionError.hostNetworkNotTaken(by: found, configuration) {
                refusals.append(StartRefusal(key: "provider", error: error))
            }
            for name in found.credentials where configuration.credentials[name] == nil {
                refusals.append(
                    StartRefusal(key: "credentials.\(name)", error: .credentialNotConfigured(name)))
            }
            _ = try registry.openExecutable(of: found)
        } catch {
            refusals.append(StartRefusal(key: "provider", error: .provider(error)))
        }
        if let manifest,
            let error = SessionError.trustRefusal(by: manifest, configuration, layout)
        {
            return refusals + [StartRefusal(key: "trust", error: error)]
        }
        let problems = ProfileStore(layout).problems(
            of: configuration.enrolledTrust, for: manifest?.trust)
        return refusals
            + problems.map { problem in
                let name = configuration.enrolledTrust[problem.index]
                let place = configuration.trust.firstIndex(of: name) ?? problem.index
                return StartRefusal(key: "trust[\(place)]", error: .profile(problem.error))
            }
    }

    private static func ofCredentials(_ configuration: Configuration, _ layout: FileLayout)
        -> [StartRefusal]
    {
        let store = CredentialStore(layout)
        var refusals: [StartRefusal] = []
        for (name, reference) in configuration.credentials.sorted(by: { $0.key < $1.key }) {
            // Those of systemd are there only while a unit runs.
            guard case .file = CredentialReference(reference) else { continue }
            do throws(CredentialError) { _ = try store.open(name, reference) } catch {
                refusals.append(
                    StartRefusal(key: "credentials.\(name)", error: .credential(error)))
            }
        }
        return refusals
    }

    /// Whether it goes with another tunnel, or with a user who may look at less than root.
    private var isPassing: Bool {
        switch error {
        case .dns(.taken): true
        case .dns(.unusable): Account.effectiveUser != 0
        case .networkNamespace(_, let error):
            [EPERM, EACCES].contains(error.errno) && Account.effectiveUser != 0
        default: false
        }
    }

    private var precise: StartRefusal {
        switch error {
        case .dns(.unavailable(let key, _)): StartRefusal(key: "dns.\(key)", error: error)
        case .dns: StartRefusal(key: "dns.servers", error: error)
        case .providerOnHostNetwork(let key): StartRefusal(key: key, error: error)
        default: self
        }
    }
}
