internal import JSON

extension Configuration {
    /// A hash of each part that a running session depends on, by the key of the part.
    ///
    /// Two configurations whose fingerprints are equal run alike: name, title, generation,
    /// `enabled` and On Demand are left out.
    package var fingerprints: [String: String] {
        var prints: [String: String] = [:]
        func add(_ key: String, _ value: (some JSONEncodable)?) {
            var writer = JSONWriter()
            writer.array { if let value { $0.element(value) } }
            prints[key] = Fingerprint(of: writer.bytes).text
        }
        add("provider", provider)
        add("serverAddress", serverAddress)
        add("username", username)
        add("trust", trust)
        add("credentials", credentials)
        add("providerConfiguration", providerConfiguration)
        add("interface", interface)
        add("routing", routing)
        add("dns", dns)
        add("disconnectOnSleep", disconnectOnSleep)
        add("idleTimeout", idleTimeout)
        add("livenessInterval", livenessInterval)
        add("startTimeout", startTimeout)
        add("stopTimeout", stopTimeout)
        return prints
    }
}
