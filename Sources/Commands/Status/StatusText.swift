internal import JSON
internal import SessionHost
internal import TunnelModel

/// The status of tunnels as people read it.
enum StatusText {
    /// One tunnel in full; in a terminal with its style, and no wider than that.
    static func details(
        _ report: TunnelReport,
        counters: Bool,
        _ style: TerminalStyle? = nil,
        width: Int? = nil
    ) -> String {
        let color = StatusTable.color(of: report)
        var lines = [style?.painted(headline(report), color) ?? headline(report)]
        func add(_ label: String, _ value: String?) {
            guard let value else { return }
            // A name of somebody else's interface may hold anything that steers a terminal.
            let shown = style == nil ? value : value.withoutFractionsOfSeconds
            let line = "  \(label):\(spaces(12 - label.count)) \(shown.shownOnTerminal)"
                .folded(to: width)
            lines.append(label == "warning" ? style?.painted(line, .yellow) ?? line : line)
        }
        add("identifier", report.identifier)
        if let title = report.title, !title.isEmpty {
            add("title", title.madePrintable(limit: 1024))
        }
        add("reason", report.session?.reason ?? report.outlook)
        if let session = report.session {
            if session.origin != .user { add("origin", session.origin.rawValue) }
            add("provider", provider(session))
            add("connected", session.connectedSince.map { "since \($0.text)" })
            add("listening", session.waitsForPeers ? "no peer has been heard yet" : nil)
            add("verified", session.providerReport?.lastVerified.map { verified($0, report) })
        }
        add("interface", report.kernel?.link.map { interface($0, report) })
        if let session = report.session, !session.routes.isEmpty {
            let first = session.routes.prefix(8).map(\.description)
            let rest = session.routes.count - first.count
            add("routes", (first + (rest > 0 ? ["and \(rest) more"] : [])).joined(separator: " "))
        }
        add("routing", report.session?.routing.text)
        add("dns", report.session.flatMap { resolver($0.dns) })
        if let provided = report.session?.providerReport {
            for peer in provided.peers { add("peer", peer.line) }
            if report.peersLeftOut > 0 {
                add("peers", "\(report.peersLeftOut) more, see --peers")
            }
        }
        add("firewall", firewall(report))
        add("in", report.foreignNamespace.map { "another network namespace, \($0)" })
        if let session = report.session {
            let restored = session.restored
            let total =
                restored.addresses + restored.routes + restored.rules + restored.firewall
                + restored.dns
            if total > 0 {
                add(
                    "restored",
                    "\(restored.addresses) addresses, \(restored.routes) routes,"
                        + " \(restored.rules) rules, \(restored.firewall) times the firewall,"
                        + " \(restored.dns) times DNS, which others had deleted or changed")
            }
        }
        if let onDemand = report.onDemand {
            add("hold", report.hold?.text)
            let name = report.name ?? report.identifier
            add("on demand", onDemand.text(name: name))
        }
        add("generation", generation(report))
        if counters, report.session != nil, let link = report.kernel?.link {
            add("received", bytes(link.counters.receivedBytes, link.counters.receivedPackets))
            add("sent", bytes(link.counters.sentBytes, link.counters.sentPackets))
            add(
                "errors",
                "\(link.counters.receivedErrors) received, \(link.counters.sentErrors) sent; dropped"
                    + " \(link.counters.receivedDropped) received, \(link.counters.sentDropped) sent"
            )
            add("counters", "estimate, restarts with the interface")
        }
        for interface in report.underlying ?? [] {
            add(
                "underlying",
                "\(interface.name) (\(interface.kind)):"
                    + " received \(interface.counters.receivedBytes) bytes,"
                    + " sent \(interface.counters.sentBytes) bytes")
        }
        if let last = report.lastDisconnect {
            let time = last.time.map { " (\($0.text))" } ?? ""
            add("last", "\(last.reason.summary)\(time)")
            add("remedy", report.lastRemedy)
        }
        for warning in report.warnings {
            add("warning", "\(warning.code.rawValue): \(warning.text)")
        }
        for reading in report.readings ?? [] { add("reading", reading.text) }
        return lines.joined(separator: "\n")
    }

    /// All tunnels, one a line, aligned.
    static func table(_ reports: [TunnelReport]) -> String {
        guard !reports.isEmpty else { return "" }
        let rows =
            [["NAME", "STATUS", "INTERFACE", "SINCE", "NOTES"]]
            + reports.map { report in
                [
                    report.name ?? report.identifier, word(report),
                    report.kernel?.link?.name ?? "-",
                    report.session?.connectedSince?.text ?? "-",
                    notes(report).joined(separator: ","),
                ].map(\.shownOnTerminal)
            }
        return alignedColumns(rows).joined(separator: "\n")
    }

    /// The first line of a tunnel: its name and its status.
    static func headline(_ report: TunnelReport) -> String {
        let name = report.name ?? report.identifier
        let link = report.kernel?.link.map { " (\($0.name))" } ?? ""
        return "\(name): \(word(report))\(report.session == nil ? "" : link)".shownOnTerminal
    }

    static func word(_ report: TunnelReport) -> String {
        let isDegraded = report.status == .connected && report.isDegraded
        return report.status.rawValue + (isDegraded ? ", degraded" : "")
            + (report.firewall.blocksWithoutTunnel ? ", blocked" : "")
            + (report.firewall.pausedUntil != nil ? ", paused" : "")
    }

    private static func firewall(_ report: TunnelReport) -> String? {
        let firewall = report.firewall
        guard let mode = firewall.mode, mode.blocks else { return nil }
        if let until = firewall.pausedUntil { return "the block is lifted until \(until.text)" }
        let spared = report.sparesNetworks ? ", excluded networks excepted" : ""
        guard firewall.blocksWithoutTunnel else {
            return firewall.isPresent == true
                ? "kill switch: nothing leaves but by the tunnel" + spared
                : "kill switch: MISSING"
        }
        return "blocks this host until the tunnel runs" + spared
    }

    private static func provider(_ session: SessionReport) -> String {
        session.providerPID.map { "\(session.provider) (process \($0))" } ?? session.provider
    }

    private static func verified(_ time: Timestamp, _ report: TunnelReport) -> String {
        let age = (Timestamp.now.microseconds - time.microseconds) / 1_000_000
        // Nobody asks for a proof: what is long ago is no fault, and is not to look like one.
        return !report.isProofAwaited && age > StatusDifferences.staleAge
            ? "not since \(time.text)" : "last \(time.text)"
    }

    private static func interface(_ link: KernelReading.Link, _ report: TunnelReport) -> String {
        let addresses = report.kernel?.addresses.map(\.description) ?? []
        let origin = report.session?.interface.mtuOrigin.map { " (\($0))" } ?? ""
        return ([link.name, "mtu \(link.mtu)\(origin)"] + addresses).joined(separator: " ")
    }

    private static func resolver(_ dns: DNSReport) -> String? {
        guard let backend = dns.backend else { return nil }
        let servers = dns.settings.servers.map(\.description).joined(separator: " ")
        let names =
            dns.settings.matchesEverything
            ? "all names" : dns.settings.matchDomains.joined(separator: " ")
        let place = backend == .resolved ? "systemd-resolved" : "resolv.conf"
        return "\(servers) for \(names), in \(place)"
            + (dns.settings.tls ? ", over TLS" : "") + (dns.isVerified ? "" : ", not in force")
    }

    private static func generation(_ report: TunnelReport) -> String? {
        let saved = report.savedGeneration.map { "\($0) is saved" }
        let running = report.session.map { "\($0.generation) runs" }
        let restart =
            report.restartReasons.isEmpty
            ? nil : "restart for \(report.restartReasons.joined(separator: ", "))"
        let parts = [saved, running, restart].compactMap { $0 }
        return parts.isEmpty ? nil : parts.joined(separator: ", ")
    }

    /// What a line of the table has to say beside the status.
    static func notes(_ report: TunnelReport) -> [String] {
        var notes = report.warnings.map(\.code.rawValue)
        if !report.restartReasons.isEmpty { notes.append("restartNeeded") }
        if let last = report.lastDisconnect?.reason.code, !last.wasAskedFor {
            notes.append(last.rawValue)
        }
        if report.onDemand != nil, report.hold != nil { notes.append("hold") }
        switch report.onDemand?.state {
        case nil, .following, .probing, .noNetwork, .held: break
        case .notRunning: notes.append("onDemandNotRunning")
        case .paused: notes.append("onDemandPaused")
        case let state?: notes.append(state.rawValue)
        }
        return notes
    }

    private static func bytes(_ bytes: UInt64, _ packets: UInt64) -> String {
        "\(bytes) bytes in \(packets) packets"
    }

    private static func spaces(_ count: Int) -> String {
        String(repeating: " ", count: max(0, count))
    }
}

extension SessionReport {
    /// Whether it is connected without any peer, as it seeks none and none has come.
    fileprivate var waitsForPeers: Bool {
        guard let providerReport, status == .connected else { return false }
        return providerReport.details["role"]?.string == "listening"
            && providerReport.lastVerified == nil
    }
}

extension ReportedPeer {
    /// The peer on a line, with what the provider counts itself.
    fileprivate var line: String {
        var parts = [name.madePrintable(limit: 256)]
        if let endpoint { parts[0] += " at \(endpoint.madePrintable(limit: 256))" }
        if let endpointName { parts[0] += " (\(endpointName.madePrintable(limit: 256)))" }
        if let lastHandshake {
            let age = Timestamp.now.microseconds - lastHandshake.microseconds
            parts.append("handshake \(max(0, age / 1_000_000)) s ago")
        }
        if isVerified == false { parts.append(isOptional ? "unproven, optional" : "unproven") }
        if let receivedBytes, let sentBytes {
            parts.append("by its own count received \(receivedBytes) bytes, sent \(sentBytes)")
        }
        return parts.joined(separator: ", ")
    }
}
