package import JSON

/// One tunnel as `status --json` shows it: every key always present, `null` for what does
/// not apply or never was.
package struct TunnelReport: Equatable, Sendable {
    private static let mostRoutes = 32

    package var name: String?
    package var identifier: String
    package var title: String?
    package var enabled: Bool?
    package var status: TunnelStatus
    package var savedGeneration: UInt64?
    package var session: SessionReport?
    package var kernel: KernelReading?
    /// The network namespace of the session, where it is not the reader's: the reading of the
    /// kernel is then the session host's own.
    package var foreignNamespace: String?
    /// The interfaces underneath, where they were asked for.
    package var underlying: [UnderlyingInterface]?
    /// How many peers of the provider's report are left out.
    package var peersLeftOut = 0
    /// How many routes of its interface are left out.
    package private(set) var routesLeftOut = 0
    /// Whether the far end is to prove again and again that it lives.
    package var isProofAwaited = true
    package var firewall = FirewallReading()
    package var restartReasons: [String] = []
    /// Whether its kill switch leaves some networks open.
    package var sparesNetworks = false
    /// What the routes of the next session would promise; `nil` where nothing is saved, or this
    /// user may not know.
    package var savedRouting: RoutingReport?
    package var lastDisconnect: Disconnect?
    /// A person's stop that On Demand does not overrule.
    package var hold: Hold?
    /// What is about to happen to it, where no session says that.
    package var outlook: String?
    /// How On Demand stands to it; `nil` where its rules are not to be followed.
    package var onDemand: OnDemandReport?
    /// A moment that has certainly been, for which a clock that is behind shows by.
    package var clockFloor: Timestamp?
    package var warnings: [TunnelWarning] = []
    /// The readings from which all of it follows, where they were asked for.
    package var readings: [StatusReading]?

    /// A report of nothing but identity and status.
    package init(identifier: String, status: TunnelStatus) {
        self.identifier = identifier
        self.status = status
    }

    /// Leaves all routes but some out, where there are many, so that the answer stays short.
    package mutating func leaveOutRoutes() {
        guard let all = kernel?.routes, all.count > Self.mostRoutes else { return }
        kernel?.routes = Array(all.prefix(Self.mostRoutes))
        routesLeftOut = all.count - Self.mostRoutes
    }

    /// Whether a warning makes the tunnel less than connected.
    package var isDegraded: Bool { warnings.contains(where: \.degrades) }
}

/// An interface that tunnels may run over.
package struct UnderlyingInterface: Equatable, Sendable, JSONEncodable {
    package var name: String
    package var index: Int
    /// `ethernet`, `wifi`, `cellular` or `other`.
    package var kind: String
    package var counters: InterfaceCounters

    package init(name: String, index: Int, kind: String, counters: InterfaceCounters) {
        self.name = name
        self.index = index
        self.kind = kind
        self.counters = counters
    }

    package func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("name", name)
            writer.member("index", index)
            writer.member("kind", kind)
            counters.writeMembers(to: &writer)
        }
    }
}

extension TunnelReport: JSONEncodable {
    package func write(to writer: inout JSONWriter) {
        writer.object { writer in writeMembers(to: &writer) }
    }

    /// Writes the members alone, for objects that have more of them.
    package func writeMembers(to writer: inout JSONWriter) {
        writer.member("name", name)
        writer.member("identifier", identifier)
        writer.member("title", title)
        writer.member("enabled", enabled)
        writer.member("status", status.rawValue)
        writer.member("reason", session?.reason ?? outlook)
        writer.member("savedGeneration", savedGeneration)
        writer.member("runningGeneration", session?.generation)
        writer.member("restartNeeded", session == nil ? nil : !restartReasons.isEmpty)
        writer.member("restartReasons", restartReasons)
        writer.member("origin", session?.origin.rawValue)
        writer.member("onDemand", onDemand)
        writer.member("hold", hold)
        writer.member("attempt", session?.attempt)
        writer.member("hostVersion", session?.hostVersion)
        writer.member("connectedSince", session?.connectedSince)
        writer.member("lastVerified", session?.providerReport?.lastVerified)
        writeProvider(to: &writer)
        writeInterface(to: &writer)
        writeCounters(to: &writer)
        writer.member("underlying", underlying)
        writeRouting(to: &writer)
        writer.objectMember("firewall") { writer in
            writer.member("mode", firewall.mode?.rawValue)
            writer.member("present", firewall.isPresent)
            writer.member("pausedUntil", firewall.pausedUntil)
        }
        writer.member("dns", session?.dns)
        writeLastDisconnect(to: &writer)
        writer.member("warnings", warnings)
        writer.member("readings", readings)
    }

    private func writeRouting(to writer: inout JSONWriter) {
        if let routing = session?.routing ?? savedRouting {
            return writer.member("routing", routing)
        }
        writer.objectMember("routing") { writer in
            for key in ["mode", "excluded", "ipv6"] { writer.nullMember(key) }
        }
    }

    /// Who mends what ended the last session; `nil` where nothing is to be mended.
    package var lastRemedy: String? {
        lastDisconnect.flatMap { $0.reason.code.remedy(at: $0.time, floor: clockFloor) }
    }

    private func writeLastDisconnect(to writer: inout JSONWriter) {
        guard let last = lastDisconnect else { return writer.nullMember("lastDisconnect") }
        writer.objectMember("lastDisconnect") { writer in
            last.writeMembers(to: &writer)
            writer.member("kind", last.reason.code.kind.rawValue)
            writer.member("hint", last.reason.code.hint(at: last.time, floor: clockFloor))
        }
    }

    private func writeProvider(to writer: inout JSONWriter) {
        guard let session else { return writer.nullMember("provider") }
        writer.objectMember("provider") { writer in
            writer.member("identifier", session.provider)
            writer.member("pid", session.providerPID)
            if let report = session.providerReport {
                writer.objectMember("report") { report.writeMembers(to: &$0) }
            } else {
                writer.nullMember("report")
            }
            writer.member("peersLeftOut", peersLeftOut)
        }
    }

    private func writeInterface(to writer: inout JSONWriter) {
        guard let link = kernel?.link else { return writer.nullMember("interface") }
        writer.objectMember("interface") { writer in
            writer.member("name", link.name)
            writer.member("index", link.index)
            writer.member("mtu", link.mtu)
            writer.member("mtuOrigin", session?.interface.mtuOrigin)
            writer.member("addresses", kernel?.addresses ?? [])
            writer.member("routes", kernel?.routes ?? [])
            writer.member("routesLeftOut", routesLeftOut)
            writer.member("rules", kernel?.rules ?? [])
            writer.member("networkNamespace", foreignNamespace)
            writer.objectMember("restored") { writer in
                writer.member("addresses", session?.restored.addresses ?? 0)
                writer.member("routes", session?.restored.routes ?? 0)
                writer.member("rules", session?.restored.rules ?? 0)
                writer.member("firewall", session?.restored.firewall ?? 0)
                writer.member("dns", session?.restored.dns ?? 0)
            }
        }
    }

    private func writeCounters(to writer: inout JSONWriter) {
        guard let link = kernel?.link, let session else { return writer.nullMember("counters") }
        writer.objectMember("counters") { writer in
            writer.member("scope", "interface")
            writer.member("estimate", true)
            writer.objectMember("countsFrom") { writer in
                writer.member("time", session.countsFrom)
                writer.member("interfaceIndex", link.index)
            }
            link.counters.writeMembers(to: &writer)
        }
    }
}
