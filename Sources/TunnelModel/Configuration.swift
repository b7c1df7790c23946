package import JSON

/// What should be: one saved tunnel.
///
/// The `identifier` is the key, the `name` is unique, the `title` is free text.
package struct Configuration: Equatable, Sendable {
    package var identifier: String
    package var name: String
    package var title = ""
    /// The generation of the document in which this configuration last changed.
    package var generation: UInt64 = 0
    package var enabled = true
    package var provider = Self.defaultProvider
    package var serverAddress: String?
    package var username: String?
    /// Names of enrolled anchors, `PROFILE/ANCHOR`, or `system`; never key material itself.
    package var trust: [String] = []
    /// References to secrets by the name under which the provider asks for them.
    package var credentials: [String: String] = [:]
    package var providerConfiguration = JSONObject()
    package var interface = InterfaceSettings()
    package var routing = RoutingSettings()
    package var dns = DNSSettings()
    package var onDemand = OnDemandSettings()
    package var disconnectOnSleep = false
    /// Seconds without traffic after which a tunnel on demand goes to sleep.
    package var idleTimeout: UInt32?
    /// Seconds between proofs that the peer lives; `nil` leaves it to the protocol.
    package var livenessInterval: UInt32? = 120
    /// Seconds that a start may take.
    package var startTimeout: UInt32 = 60
    /// Seconds that a provider has to stop.
    package var stopTimeout: UInt32 = 20

    /// The provider that a configuration gets when none is named.
    package static let defaultProvider = "org.utunctl.loopback"

    /// A configuration with the defaults of every key.
    package init(identifier: String, name: String) {
        self.identifier = identifier
        self.name = name
    }

    /// The name in `trust` of the system's own store of certificates.
    package static let systemTrust = "system"

    /// Whether the system's own store of certificates is trusted.
    package var trustsSystem: Bool { trust.contains(Self.systemTrust) }

    /// The profiles of the anchors among `trust`, each once, in their order.
    package var trustedProfiles: [String] {
        var seen: Set<String> = []
        return enrolledTrust.compactMap { AnchorReference($0)?.profile }
            .filter { seen.insert($0).inserted }
    }

    /// The enrolled anchors among `trust`.
    package var enrolledTrust: [String] { trust.filter { $0 != Self.systemTrust } }

    /// Reads a configuration; absent keys have their defaults.
    ///
    /// An absent `identifier` reads as empty: the store gives it one.
    package init(_ node: JSONNode) throws(JSONError) {
        var reader = try JSONObjectReader(node)
        identifier = try reader.string("identifier", default: "")
        if !identifier.isEmpty, !Identifier.isValid(identifier) {
            throw reader.mismatch("identifier", "not a UUID in lower case")
        }
        name = try reader.string("name")
        if let problem = Naming.problem(ofConfiguration: name) {
            throw reader.mismatch("name", problem)
        }
        title = try reader.string("title", default: "")
        generation = try reader.integer("generation", in: 0...UInt64(Int64.max), default: 0)
        enabled = try reader.bool("enabled", default: true)
        provider = try reader.string("provider", default: Self.defaultProvider)
        if let problem = Naming.problem(ofProvider: provider) {
            throw reader.mismatch("provider", problem)
        }
        serverAddress = try reader.optionalString("serverAddress")
        if let serverAddress, ServerAddress(serverAddress) == nil {
            throw reader.mismatch("serverAddress", "not HOST, HOST:PORT or [IPv6]:PORT")
        }
        username = try reader.optionalString("username")
        trust = try reader.strings("trust")
        credentials = try reader.stringMap("credentials")
        for (name, reference) in credentials.sorted(by: { $0.key < $1.key }) {
            guard let problem = CredentialReference.problem(of: reference) else { continue }
            throw reader.mismatch("credentials.\(name)", problem)
        }
        if let node = reader.node("providerConfiguration") {
            guard case .object(let object) = node.value else {
                throw reader.mismatch("providerConfiguration", "not an object")
            }
            providerConfiguration = object
        }
        if let node = reader.node("interface") { interface = try InterfaceSettings(node) }
        if let node = reader.node("routing") { routing = try RoutingSettings(node) }
        if let (key, problem) = keyOfOtherNamespace { throw reader.mismatch(key, problem) }
        if let node = reader.node("dns") { dns = try DNSSettings(node) }
        if let node = reader.node("onDemand") { onDemand = try OnDemandSettings(node) }
        disconnectOnSleep = try reader.bool("disconnectOnSleep", default: false)
        idleTimeout = try reader.optionalInteger("idleTimeout", in: 1...31_536_000)
        if reader.contains("livenessInterval") {
            livenessInterval = try reader.optionalInteger("livenessInterval", in: 1...86_400)
        }
        startTimeout = try reader.integer("startTimeout", in: 1...3600, default: 60)
        stopTimeout = try reader.integer("stopTimeout", in: 1...3600, default: 20)
        try reader.finish()
    }
}

extension Configuration {
    /// What of it could not be read back: a file can ask for what stands against that which it
    /// leaves alone.
    package var contradiction: JSONError? {
        do throws(JSONError) {
            _ = try JSONDocument(parsing: JSONWriter.line(self)).withRoot {
                node throws(JSONError) in
                try Configuration(node)
            }
            return nil
        } catch {
            return error
        }
    }
}

extension Configuration: JSONEncodable {
    package func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("identifier", identifier)
            writer.member("name", name)
            writer.member("title", title)
            writer.member("generation", generation)
            writer.member("enabled", enabled)
            writer.member("provider", provider)
            writer.member("serverAddress", serverAddress)
            writer.member("username", username)
            writer.member("trust", trust)
            writer.member("credentials", credentials)
            writer.member("providerConfiguration", providerConfiguration)
            writer.member("interface", interface)
            writer.member("routing", routing)
            writer.member("dns", dns)
            writer.member("onDemand", onDemand)
            writer.member("disconnectOnSleep", disconnectOnSleep)
            writer.member("idleTimeout", idleTimeout)
            writer.member("livenessInterval", livenessInterval)
            writer.member("startTimeout", startTimeout)
            writer.member("stopTimeout", stopTimeout)
        }
    }
}
