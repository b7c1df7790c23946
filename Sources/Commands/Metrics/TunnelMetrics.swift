internal import TunnelModel

/// What is measured of tunnels, from the same reports as `status`.
///
/// What cannot be read has no sample: a zero would be a statement.
enum TunnelMetrics {
    /// All families, in the order in which they are printed.
    static func families(_ reports: [TunnelReport], preferencesAreReadable: Bool) -> [MetricFamily]
    {
        [
            MetricFamily(
                name: "utunctl_build_info", kind: .gauge, unit: nil,
                help: "The version of utunctl that took the readings; always 1.",
                samples: [sample([("version", Program.version)], .count(1))]),
            MetricFamily(
                name: "utunctl_preferences_readable", kind: .gauge, unit: nil,
                help: "Whether what is saved could be read; if not, only what runs is here.",
                samples: [sample([], .flag(preferencesAreReadable))]),
        ] + states(reports) + times(reports) + drift(reports) + firewall(reports)
            + onDemand(reports) + counters(reports)
    }

    private static func states(_ reports: [TunnelReport]) -> [MetricFamily] {
        [
            family(
                .gauge, "status", "The status: 1 for the one that it is in, 0 for all others.",
                reports
            ) {
                report in
                TunnelStatus.allCases.map {
                    ([("status", $0.rawValue)], .flag($0 == report.status))
                }
            },
            family(
                .gauge, "connected", "Whether it is connected; absent while nobody knows.", reports
            ) {
                report in
                report.status == .unknown ? [] : [([], .flag(report.status == .connected))]
            },
            family(.gauge, "enabled", "Whether it is saved as enabled.", reports) { report in
                only(report.enabled.map { .flag($0) })
            },
        ]
    }

    private static func times(_ reports: [TunnelReport]) -> [MetricFamily] {
        [
            time("connected_since", "Since when it is connected.", reports) {
                $0.session?.connectedSince
            },
            time(
                "last_verified", "When the far end last proved that it lives.", reports
            ) { $0.session?.providerReport?.lastVerified },
            time(
                "counts_from",
                "When the interface was made, and its counters began at 0.", reports
            ) { $0.kernel?.link == nil ? nil : $0.session?.countsFrom },
        ]
    }

    private static func drift(_ reports: [TunnelReport]) -> [MetricFamily] {
        [
            family(
                .gauge, "restart_needed", "Whether what runs differs from what is saved.", reports
            ) { report in
                report.session == nil ? [] : [([], .flag(!report.restartReasons.isEmpty))]
            },
            family(
                .gauge, "degraded", "Whether a warning makes it less than connected.", reports
            ) { report in
                report.status == .connected ? [([], .flag(report.isDegraded))] : []
            },
            family(
                .gauge, "warnings",
                "How many warnings there are of each code; a code without any is absent.", reports
            ) { report in
                var codes: [TunnelWarning.Code] = []
                for warning in report.warnings where !codes.contains(warning.code) {
                    codes.append(warning.code)
                }
                return codes.map { code in
                    let same = report.warnings.filter { $0.code == code }
                    return (
                        [
                            ("code", code.rawValue),
                            ("degrades", same.contains(where: \.degrades) ? "true" : "false"),
                        ], .count(UInt64(same.count))
                    )
                }
            },
            family(
                .counter, "reconnects", "How often the running session has found its way back.",
                reports
            ) { report in only(report.session?.reconnects.map { .count($0) }) },
            family(
                .counter, "restored",
                "How often the running session has put back what others deleted or changed.",
                reports
            ) { report in
                guard let restored = report.session?.restored else { return [] }
                return [
                    ([("kind", "addresses")], .count(restored.addresses)),
                    ([("kind", "routes")], .count(restored.routes)),
                    ([("kind", "rules")], .count(restored.rules)),
                    ([("kind", "firewall")], .count(restored.firewall)),
                    ([("kind", "dns")], .count(restored.dns)),
                ]
            },
        ]
    }

    private static func firewall(_ reports: [TunnelReport]) -> [MetricFamily] {
        [
            family(
                .gauge, "firewall_mode",
                "What its firewall is there for: 1 for the one that it is, 0 for all others.",
                reports
            ) { report in
                guard let mode = report.firewall.mode else { return [] }
                return FirewallMode.allCases.map { ([("mode", $0.rawValue)], .flag($0 == mode)) }
            },
            family(.gauge, "firewall_present", "Whether its firewall is in force.", reports) {
                report in
                only(report.firewall.isPresent.map { .flag($0) })
            },
            time("firewall_paused_until", "Until when its block is lifted.", reports) {
                $0.firewall.pausedUntil
            },
        ]
    }

    private static func onDemand(_ reports: [TunnelReport]) -> [MetricFamily] {
        [
            family(
                .gauge, "on_demand_state",
                "How On Demand stands to it: 1 for the state that it is in, 0 for all others.",
                reports
            ) { report in
                guard let state = report.onDemand?.state else { return [] }
                return OnDemandState.allCases.map {
                    ([("state", $0.rawValue)], .flag($0 == state))
                }
            },
            family(
                .gauge, "on_demand_failures", "How often in a row On Demand has failed.", reports
            ) { report in
                only(report.onDemand.map { .count(UInt64($0.failures)) })
            },
            time("on_demand_next_try", "When On Demand tries it again.", reports) {
                $0.onDemand?.nextTry
            },
        ]
    }

    private static func counters(_ reports: [TunnelReport]) -> [MetricFamily] {
        let all: [(String, String?, String, KeyPath<InterfaceCounters, UInt64>)] = [
            ("received_bytes", "bytes", "Bytes received", \.receivedBytes),
            ("sent_bytes", "bytes", "Bytes sent", \.sentBytes),
            ("received_packets", nil, "Packets received", \.receivedPackets),
            ("sent_packets", nil, "Packets sent", \.sentPackets),
            ("received_errors", nil, "Errors of receiving", \.receivedErrors),
            ("sent_errors", nil, "Errors of sending", \.sentErrors),
            ("received_dropped", nil, "Packets dropped that were received", \.receivedDropped),
            ("sent_dropped", nil, "Packets dropped that were to be sent", \.sentDropped),
        ]
        return all.map { name, unit, help, path in
            family(
                .counter, name,
                "\(help) by the interface since it was made: an estimate of what went through"
                    + " the tunnel, no accounting.",
                reports, unit: unit
            ) { report in
                guard report.session != nil, let link = report.kernel?.link else { return [] }
                return [([], .count(link.counters[keyPath: path]))]
            }
        }
    }

    // MARK: The makings

    private typealias Labels = [(name: String, value: String)]
    private typealias Found = (labels: Labels, value: MetricFamily.Value)

    private static func family(
        _ kind: MetricFamily.Kind,
        _ name: String,
        _ help: String,
        _ reports: [TunnelReport],
        unit: String? = nil,
        _ found: (TunnelReport) -> [Found]
    ) -> MetricFamily {
        MetricFamily(
            name: "utunctl_\(name)", kind: kind, unit: unit, help: help,
            samples: samples(reports, found))
    }

    private static func time(
        _ name: String,
        _ help: String,
        _ reports: [TunnelReport],
        _ found: (TunnelReport) -> Timestamp?
    ) -> MetricFamily {
        family(.gauge, "\(name)_timestamp_seconds", help, reports, unit: "seconds") { report in
            only(found(report).map { .time($0) })
        }
    }

    private static func only(_ value: MetricFamily.Value?) -> [Found] {
        value.map { [([], $0)] } ?? []
    }

    private static func samples(_ reports: [TunnelReport], _ found: (TunnelReport) -> [Found])
        -> [MetricFamily.Sample]
    {
        reports.flatMap { report in
            let own = [
                ("name", report.name ?? report.identifier), ("identifier", report.identifier),
            ]
            return found(report).map { sample(own + $0.labels, $0.value) }
        }
    }

    private static func sample(_ labels: Labels, _ value: MetricFamily.Value)
        -> MetricFamily.Sample
    {
        MetricFamily.Sample(labels: labels, value: value)
    }
}
