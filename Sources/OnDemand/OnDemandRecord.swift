package import JSON
internal import TunnelModel

/// What the service writes down: how On Demand stands to each tunnel, and on which network.
package struct OnDemandRecord: Equatable, Sendable {
    /// The network of the last turn.
    package var network: NetworkSnapshot?
    package var entries: [OnDemandEntry] = []

    /// Nothing is known.
    package init() {}

    /// The entry of a configuration.
    package func entry(_ identifier: String) -> OnDemandEntry? {
        entries.first { $0.identifier == identifier }
    }
}

extension OnDemandRecord: JSONEncodable {
    package init(_ node: JSONNode) throws(JSONError) {
        var reader = try JSONObjectReader(node)
        try reader.formatVersion(atMost: 1)
        network = try reader.node("network").map { node throws(JSONError) in
            try NetworkSnapshot(node)
        }
        for element in try reader.elements("configurations") ?? [] {
            entries.append(try OnDemandEntry(element))
        }
    }

    package func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("formatVersion", 1)
            writer.member("network", network)
            writer.member("configurations", entries)
        }
    }
}
