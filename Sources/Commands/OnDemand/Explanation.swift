internal import JSON
internal import OnDemand
internal import TunnelModel

/// The rules of one configuration, held against a network.
struct ExplainedConfiguration {
    let configuration: Configuration
    let evaluation: RuleEvaluation

    init(_ configuration: Configuration, on network: NetworkSnapshot) {
        self.configuration = configuration
        evaluation = configuration.onDemand.evaluate(on: network)
    }
}

/// What `ondemand explain` answers.
struct Explanation {
    static let formatVersion: Int64 = 1

    let snapshot: NetworkSnapshot
    let configurations: [ExplainedConfiguration]
}

extension Explanation: JSONEncodable {
    func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("formatVersion", Self.formatVersion)
            writer.member("snapshot", snapshot)
            writer.member("configurations", configurations)
        }
    }
}

extension ExplainedConfiguration: JSONEncodable {
    func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("name", configuration.name)
            writer.member("identifier", configuration.identifier)
            writer.member("enabled", configuration.onDemand.enabled)
            writer.member("rules", evaluation.rules)
            writer.member("decision", evaluation.decision)
        }
    }
}

// MARK: For people

extension Explanation {
    var text: String {
        let parts = [snapshot.lines] + configurations.map(\.lines)
        return parts.map { lines in lines.map(\.escapingControls).joined(separator: "\n") }
            .joined(separator: "\n\n")
    }
}

extension NetworkSnapshot {
    fileprivate var lines: [String] {
        guard let underlying else { return ["network  none"] }
        let ssid = underlying.ssid.map { ", SSID \($0)" } ?? ""
        let rows = [
            ["network", "\(underlying.interface), \(underlying.kind.rawValue)\(ssid)"],
            ["gateways", underlying.gateways.map(\.description).listed],
            ["DNS servers", dnsServers.map(\.description).listed],
            ["search domains", searchDomains.listed],
        ]
        let probed = probes.sorted { $0.key < $1.key }.map {
            ["probe", "\($0.key): \($0.value.text)"]
        }
        return alignedColumns(rows + probed)
    }
}

extension ExplainedConfiguration {
    fileprivate var lines: [String] {
        let isOff = configuration.onDemand.enabled ? "" : " (On Demand is off)"
        let reason = evaluation.decision?.reason ?? "a probe is missing"
        var rows: [[String]] = []
        for (index, rule) in evaluation.rules.enumerated() {
            rows.append(["  rule \(index + 1), \(rule.action.rawValue)", rule.matched.word])
            rows += rule.conditions.map { condition in
                let seen = condition.matched == nil ? "" : "\(condition.seen.listed), "
                return [
                    "    \(condition.name.rawValue)", condition.matched.word,
                    "\(seen)wanted \(condition.wanted.listed)",
                ]
            }
        }
        return ["\(configuration.name): \(reason)\(isOff)"] + alignedColumns(rows)
    }
}

extension Bool? {
    fileprivate var word: String {
        switch self {
        case true?: "yes"
        case false?: "no"
        case nil: "-"
        }
    }
}

extension [String] {
    fileprivate var listed: String { isEmpty ? "none" : joined(separator: ", ") }
}
