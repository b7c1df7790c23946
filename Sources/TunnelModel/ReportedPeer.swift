internal import JSON

/// A peer as a provider describes it; what it does not say is `nil`.
package struct ReportedPeer: Equatable, Sendable {
    package let name: String
    /// Where it is reached now.
    package let endpoint: String?
    /// The name that the endpoint came from.
    package let endpointName: String?
    package let lastHandshake: Timestamp?
    /// Whether it has proved lately that it lives.
    package let isVerified: Bool?
    /// Whether the tunnel is whole without it.
    package let isOptional: Bool
    /// By the provider's own count.
    package let receivedBytes: Int64?
    package let sentBytes: Int64?

    /// The peer of an element of `peers`; `nil` for one without a name.
    fileprivate init?(_ value: JSONValue) {
        guard let object = value.object, let name = object["name"]?.string else { return nil }
        self.name = name
        endpoint = object["endpoint"]?.string
        endpointName = object["endpointName"]?.string
        lastHandshake = object["lastHandshake"]?.string.flatMap { Timestamp($0) }
        isVerified = object["verified"].flatMap(Self.bool)
        isOptional = object["optional"].flatMap(Self.bool) ?? false
        receivedBytes = object["receivedBytes"].flatMap(Self.integer)
        sentBytes = object["sentBytes"].flatMap(Self.integer)
    }

    private static func bool(_ value: JSONValue) -> Bool? {
        if case .bool(let bool) = value { bool } else { nil }
    }

    private static func integer(_ value: JSONValue) -> Int64? {
        if case .integer(let integer) = value { integer } else { nil }
    }
}

extension ProviderReport {
    /// So many peers are shown each; of more than these only a few.
    private static let mostPeers = 8
    private static let fewPeers = 4
    /// How many peers a warning names.
    private static let namedPeers = 3

    /// The peers that the provider names.
    package var peers: [ReportedPeer] {
        details["peers"]?.array?.compactMap { ReportedPeer($0) } ?? []
    }

    /// Leaves all but the few peers that were heard of last out, where there are many; answers
    /// how many that are.
    package mutating func leaveOutPeers() -> Int {
        guard let all = details["peers"]?.array, all.count > Self.mostPeers else { return 0 }
        let times = all.map { ReportedPeer($0)?.lastHandshake?.microseconds ?? .min }
        let latest = all.indices.sorted { (times[$0], $1) > (times[$1], $0) }
            .prefix(Self.fewPeers)
        details["peers"] = .array(latest.map { all[$0] })
        return all.count - latest.count
    }

    /// The warning that some peers prove nothing while another does; `nil` where all do that
    /// have to, or none does.
    ///
    /// `sought` are those that the configuration has an endpoint of, where that is known: of
    /// others nobody knows whether they are there, wherever they once came from.
    package func unverifiedWarning(sought: Set<String>?) -> TunnelWarning? {
        let peers = peers.filter { sought?.contains($0.name) ?? ($0.endpoint != nil) }
        guard peers.contains(where: { $0.isVerified == true }) else { return nil }
        let names = peers.filter { $0.isVerified == false && !$0.isOptional }.map(\.name)
        guard !names.isEmpty else { return nil }
        let more = names.count - Self.namedPeers
        let list =
            names.prefix(Self.namedPeers).joined(separator: ", ")
            + (more > 0 ? " and \(more) more" : "")
        return TunnelWarning(
            .peerUnverified, "\(names.count) of \(peers.count) peers proved nothing yet: \(list)")
    }
}
