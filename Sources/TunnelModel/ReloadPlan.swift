/// What of a saved change a running session takes, and what needs a restart.
package struct ReloadPlan: Equatable, Sendable {
    /// The keys that differ, sorted; those of a list or of On Demand as one.
    package let changed: [String]
    /// Those among them that nothing but a restart puts into force.
    package let restart: [String]
    /// Those that the provider has to be told of.
    package let forProvider: [String]

    /// What the session host puts into force, or only has to know of, by itself.
    private static let ofHost: Set<String> = [
        "name", "title", "enabled", "onDemand", "disconnectOnSleep", "idleTimeout", "startTimeout",
        "stopTimeout",
        "interface.mtu", "routing.includedRoutes", "routing.excludedRoutes",
        "routing.excludeLocalNetworks", "routing.ipv6", "routing.lockdown",
        "routing.resolveWhileBlocked", "dns.servers", "dns.searchDomains", "dns.matchDomains",
        "dns.tls",
    ]

    /// Divides what differs between two states of a configuration.
    ///
    /// `references` are the keys whose values are the same and refer to something else now: an
    /// anchor that was enrolled anew, a file that was replaced. Without a provider what only that
    /// has to know of comes into force with the next one.
    package init(
        from running: Configuration,
        to saved: Configuration,
        references: Set<String> = [],
        _ manifest: ProviderManifest,
        hasProvider: Bool = true
    ) {
        let paths = running.changes(to: saved).map { Self.key(of: $0.path) }
        changed = references.union(paths).sorted()
        let further = changed.filter { key in
            !Self.ofHost.contains(key) && (hasProvider || !Self.isOfProvider(key))
        }
        forProvider = hasProvider ? changed.filter { manifest.takes($0) } : []
        restart = further.filter { !manifest.takes($0) }
    }

    private static func isOfProvider(_ key: String) -> Bool {
        let first = key.prefix { $0 != "." }
        return [
            "serverAddress", "username", "trust", "credentials", "livenessInterval",
            "providerConfiguration",
        ].contains(first)
    }

    /// The key that a difference at a path is told of by.
    static func key(of path: String) -> String {
        let words = path.split(separator: ".", maxSplits: 1)
        guard let first = words.first else { return path }
        switch first {
        // The name of a credential may hold anything.
        case "credentials": return path
        case "interface", "routing", "dns", "providerConfiguration":
            guard words.count == 2 else { return path }
            let second = words[1].prefix { $0 != "." && $0 != "[" }
            return "\(first).\(second)"
        default: return String(first.prefix { $0 != "[" })
        }
    }
}

extension ProviderManifest {
    /// The keys that a provider may take while it runs, beside its own.
    private static let reloadable: Set<String> = [
        "serverAddress", "username", "trust", "credentials", "livenessInterval", "idleTimeout",
    ]

    /// Whether a manifest may name a key in `reload`.
    static func mayTake(_ key: String) -> Bool {
        let words = key.split(separator: ".", omittingEmptySubsequences: false)
        guard words.count == 2 else { return reloadable.contains(key) }
        return (words[0] == "credentials" || words[0] == "providerConfiguration")
            && !words[1].isEmpty
    }

    /// Whether the provider takes a change of a key while it runs.
    ///
    /// Of `credentials` it takes those without which it can start; the others by their names.
    func takes(_ key: String) -> Bool {
        if reload.contains(key) { return true }
        let place = "credentials."
        guard key.hasPrefix(place), reload.contains("credentials") else { return false }
        return !credentials.contains(String(key.dropFirst(place.count)))
    }

    /// The credentials of a configuration that the provider is handed with a change.
    package func handedAnew(_ configuration: Configuration) -> Set<String> {
        Set(configuration.credentials.keys.filter { takes("credentials.\($0)") })
    }
}
