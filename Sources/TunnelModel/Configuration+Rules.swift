internal import JSON

/// Something that is worth saying about a configuration and does not stop it.
package struct ConfigurationNotice: Equatable, Sendable {
    /// The key that it is about, as a JSON path.
    package let path: String
    package let code: String
    package let text: String

    package init(path: String, code: String, text: String) {
        self.path = path
        self.code = code
        self.text = text
    }
}

extension Configuration {
    /// The configuration with host bits masked and equal prefixes merged, and what changed.
    ///
    /// The kernel refuses a route with host bits (EINVAL) and a second equal one (EEXIST).
    package func normalized() -> (configuration: Configuration, notices: [ConfigurationNotice]) {
        var result = self
        var notices: [ConfigurationNotice] = []
        if let routes = routing.includedRoutes {
            result.routing.includedRoutes = Self.normalize(
                routes, "routing.includedRoutes", &notices)
        }
        result.routing.excludedRoutes = Self.normalize(
            routing.excludedRoutes, "routing.excludedRoutes", &notices)
        if provider == WireGuardConfiguration.provider {
            notices += result.normalizePeers()
        }
        notices += onDemandNotices
        return (result, notices)
    }

    /// A key that is about the whole host, where the tunnel is in a namespace of its own, and what
    /// is wrong with that.
    package var keyOfOtherNamespace: (path: String, problem: String)? {
        guard interface.networkNamespace != nil, let key = routing.keyOfWholeHost else {
            return nil
        }
        return (
            "routing.\(key)",
            "not with interface.networkNamespace, out of which nothing but the tunnel leads"
        )
    }

    /// The tunnel's own addresses, where they are known before its provider asks for them: to
    /// the providers of this project `providerConfiguration.addresses` means just that.
    package var ownAddresses: [IPPrefix] {
        guard provider.hasPrefix("org.utunctl."),
            let values = providerConfiguration["addresses"]?.array
        else { return [] }
        return values.compactMap { $0.string.flatMap { IPPrefix($0) } }
    }

    /// Whether its rules of On Demand are to be followed.
    package var isArmed: Bool { enabled && onDemand.enabled }

    /// The keys whose values this version cannot yet put into force, each with its value
    /// differing from the default; `start` refuses them, so that none is ignored in silence.
    package var unenforcedKeys: [String] {
        // To decide by the name that is asked for takes a part in the resolver.
        let needsResolver =
            onDemand.enabled && onDemand.rules.contains { $0.action == .evaluateConnection }
        return needsResolver ? ["onDemand.rules"] : []
    }

    static func normalize(
        _ prefixes: [IPPrefix],
        _ path: String,
        _ notices: inout [ConfigurationNotice]
    ) -> [IPPrefix] {
        var seen: Set<IPPrefix> = []
        var result: [IPPrefix] = []
        for (index, prefix) in prefixes.enumerated() {
            let masked = prefix.masked
            if prefix.hasHostBits {
                notices.append(
                    ConfigurationNotice(
                        path: "\(path)[\(index)]", code: "hostBitsMasked",
                        text: "\(prefix) has host bits, taken as \(masked)"))
            }
            if seen.insert(masked).inserted {
                result.append(masked)
            } else {
                notices.append(
                    ConfigurationNotice(
                        path: "\(path)[\(index)]", code: "duplicatePrefix",
                        text: "\(masked) stands there already, merged"))
            }
        }
        return result
    }
}
