package import JSON

/// What a session host answers when it is asked for its status.
package struct SessionReport: Equatable, Sendable {
    /// The interface of the session.
    package struct Interface: Equatable, Sendable {
        package var name: String
        package var index: Int
        package var mtu: UInt32
        /// What the MTU follows from; `nil` before the settings are in force.
        package var mtuOrigin: String?

        package init(name: String, index: Int, mtu: UInt32) {
            self.name = name
            self.index = index
            self.mtu = mtu
        }
    }

    /// How often something of ours was deleted by others and put back.
    package struct Restored: Equatable, Sendable {
        package var addresses: UInt64 = 0
        package var routes: UInt64 = 0
        package var rules: UInt64 = 0
        package var firewall: UInt64 = 0
        package var dns: UInt64 = 0

        /// Never yet.
        package init() {}
    }

    /// The firewall table of the session, as the host reads it.
    package struct Firewall: Equatable, Sendable {
        package var table: String
        package var mode: FirewallMode
        /// Whether the kernel has all of it as it was written.
        package var isPresent: Bool
        /// Until when the block is lifted.
        package var pausedUntil: Timestamp?

        package init(
            table: String,
            mode: FirewallMode,
            isPresent: Bool,
            pausedUntil: Timestamp? = nil
        ) {
            self.table = table
            self.mode = mode
            self.isPresent = isPresent
            self.pausedUntil = pausedUntil
        }
    }

    package var identifier: String
    package var name: String
    package var generation: UInt64
    package var attempt: String
    package var origin: SessionOrigin
    package var status: TunnelStatus
    /// The number of the transition that led to the status; 0 when nobody counted.
    package var lastTransition: UInt64 = 0
    /// Why the provider reasserts, the session ends, or what it waits for.
    package var reason: String?
    /// Whether its provider runs only while something goes through the tunnel.
    package var waitsForTraffic = false
    /// How its provider ended while the session went on; `nil` where none has.
    package var lastDisconnect: Disconnect?
    package var started: Timestamp
    package var connectedSince: Timestamp?
    package var networkNamespace: String
    package var hostPID: Int32
    /// The version of the host; `nil` of one from before this was told.
    package var hostVersion: String?
    package var provider: String
    package var providerPID: Int32?
    /// Whether the provider answered a query of just now; `nil` when it was not asked.
    package var providerAnswered: Bool?
    package var providerReport: ProviderReport?
    package var interface: Interface
    /// When the interface was created: counters count from there.
    package var countsFrom: Timestamp
    /// What was set, to be compared with the kernel.
    package var addresses: [IPPrefix] = []
    package var routes: [IPPrefix] = []
    /// The routing policy rules, as ip(8) shows them.
    package var rules: [String] = []
    /// The routes that lead nowhere, as ip(8) shows them.
    package var barriers: [String] = []
    package var routing = RoutingReport()
    package var dns = DNSReport()
    package var restored = Restored()
    /// How often it came back after it had reasserted; `nil` of a host that does not count.
    package var reconnects: UInt64?
    /// `nil` where there is none, or not yet.
    package var firewall: Firewall?
    /// What was left out because the host has no IPv6.
    package var leftOut: [IPPrefix] = []
    /// What the host itself could not do as it should.
    package var warnings: [TunnelWarning] = []
    /// The parts of the running configuration as hashes, by key.
    package var fingerprints: [String: String] = [:]
    /// What the host reads of the kernel itself, for a reader in another network namespace.
    package var kernel: KernelReading?

    /// A report of what a session is from its beginning.
    package init(
        configuration: Configuration,
        attempt: String,
        origin: SessionOrigin,
        status: TunnelStatus,
        started: Timestamp,
        networkNamespace: String,
        hostPID: Int32,
        interface: Interface
    ) {
        identifier = configuration.identifier
        name = configuration.name
        generation = configuration.generation
        provider = configuration.provider
        self.attempt = attempt
        self.origin = origin
        self.status = status
        self.started = started
        self.networkNamespace = networkNamespace
        self.hostPID = hostPID
        self.interface = interface
        countsFrom = started
    }
}

extension SessionReport: JSONEncodable {
    package func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.message("status")
            writer.member("identifier", identifier)
            writer.member("name", name)
            writer.member("generation", generation)
            writer.member("attempt", attempt)
            writer.member("origin", origin.rawValue)
            writer.member("status", status.rawValue)
            writer.member("lastTransition", lastTransition)
            writer.member("reason", reason)
            if waitsForTraffic { writer.member("waitsForTraffic", true) }
            if let lastDisconnect { writer.member("lastDisconnect", lastDisconnect) }
            writer.member("started", started)
            writer.member("connectedSince", connectedSince)
            writer.member("networkNamespace", networkNamespace)
            writer.member("hostPID", hostPID)
            writer.member("hostVersion", hostVersion)
            writer.member("provider", provider)
            writer.member("providerPID", providerPID)
            writer.member("providerAnswered", providerAnswered)
            if let providerReport {
                writer.objectMember("providerReport") { providerReport.writeMembers(to: &$0) }
            }
            writer.objectMember("interface") { writer in
                writer.member("name", interface.name)
                writer.member("index", interface.index)
                writer.member("mtu", interface.mtu)
                writer.member("mtuOrigin", interface.mtuOrigin)
            }
            writer.member("countsFrom", countsFrom)
            writer.member("addresses", addresses)
            writer.member("routes", routes)
            writer.member("rules", rules)
            writer.member("barriers", barriers)
            writer.member("routing", routing)
            writer.member("dns", dns)
            writer.member("leftOut", leftOut)
            writer.member("warnings", warnings)
            writer.member("reconnects", reconnects)
            writer.member("restoredAddresses", restored.addresses)
            writer.member("restoredRoutes", restored.routes)
            writer.member("restoredRules", restored.rules)
            writer.member("restoredFirewall", restored.firewall)
            writer.member("firewall", firewall)
            writer.member("restoredDNS", restored.dns)
            writer.member("fingerprints", fingerprints)
            writer.member("kernel", kernel)
        }
    }

    init(reading reader: inout JSONObjectReader) throws(JSONError) {
        identifier = try reader.string("identifier")
        name = try reader.string("name")
        generation = try reader.integer("generation", in: 0...UInt64(Int64.max))
        attempt = try reader.string("attempt")
        origin = try reader.choice("origin", default: nil)
        status = try reader.choice("status", default: nil)
        lastTransition = try reader.integer("lastTransition", in: 0...UInt64.max, default: 0)
        reason = try reader.optionalString("reason")
        waitsForTraffic = try reader.bool("waitsForTraffic", default: false)
        if let node = reader.node("lastDisconnect") { lastDisconnect = try Disconnect(node) }
        started = try reader.timestamp("started")
        connectedSince = try reader.optionalTimestamp("connectedSince")
        networkNamespace = try reader.string("networkNamespace")
        hostPID = try reader.integer("hostPID", in: 1...Int32.max)
        hostVersion = try reader.optionalString("hostVersion")
        provider = try reader.string("provider")
        providerPID = try reader.optionalInteger("providerPID", in: 1...Int32.max)
        if reader.node("providerAnswered") != nil {
            providerAnswered = try reader.bool("providerAnswered")
        }
        if let node = reader.node("providerReport") {
            var inner = try JSONObjectReader(node)
            providerReport = try ProviderReport(reading: &inner)
        }
        guard let node = reader.node("interface") else {
            throw reader.mismatch("interface", "missing")
        }
        var inner = try JSONObjectReader(node)
        interface = Interface(
            name: try inner.string("name"), index: try inner.integer("index", in: 1...Int.max),
            mtu: try inner.integer("mtu", in: InterfaceSettings.mtuRange))
        interface.mtuOrigin = try inner.optionalString("mtuOrigin")
        countsFrom = try reader.timestamp("countsFrom")
        addresses = try reader.prefixes("addresses") ?? []
        routes = try reader.prefixes("routes") ?? []
        rules = try reader.strings("rules")
        barriers = try reader.strings("barriers")
        if let node = reader.node("routing") { routing = try RoutingReport(node) }
        if let node = reader.node("dns") { dns = try DNSReport(node) }
        leftOut = try reader.prefixes("leftOut") ?? []
        warnings = try TunnelWarning.all(try reader.elements("warnings") ?? [])
        reconnects = try reader.optionalInteger("reconnects", in: 0...UInt64(Int64.max))
        restored.addresses = try reader.integer("restoredAddresses", in: 0...UInt64(Int64.max))
        restored.routes = try reader.integer("restoredRoutes", in: 0...UInt64(Int64.max))
        restored.rules = try reader.integer("restoredRules", in: 0...UInt64(Int64.max), default: 0)
        restored.firewall = try reader.integer(
            "restoredFirewall", in: 0...UInt64(Int64.max), default: 0)
        if let node = reader.node("firewall") { firewall = try Firewall(node) }
        restored.dns = try reader.integer("restoredDNS", in: 0...UInt64(Int64.max), default: 0)
        fingerprints = try reader.stringMap("fingerprints")
        if let node = reader.node("kernel") { kernel = try KernelReading(node) }
    }
}
