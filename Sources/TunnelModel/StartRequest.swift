package import JSON

/// What `start` hands to the session host that it has started, on a socket pair.
package struct StartRequest: Equatable, Sendable {
    package var attempt: String
    package var origin: SessionOrigin
    package var options: [String: String]
    /// Whether the provider is to start with the first packet for the tunnel, and not before.
    package var waitsForTraffic: Bool
    /// The generation that must still be the saved one.
    package var generation: UInt64

    package init(
        attempt: String,
        origin: SessionOrigin,
        options: [String: String],
        generation: UInt64,
        waitsForTraffic: Bool = false
    ) {
        self.attempt = attempt
        self.origin = origin
        self.options = options
        self.generation = generation
        self.waitsForTraffic = waitsForTraffic
    }

    package init(line: some Collection<UInt8>) throws(JSONError) {
        self = try JSONDocument(parsing: line).withRoot { node throws(JSONError) in
            var reader = try JSONObjectReader(node)
            return StartRequest(
                attempt: try reader.string("attempt"),
                origin: try reader.choice("origin", default: nil),
                options: try reader.stringMap("options"),
                generation: try reader.integer("generation", in: 0...UInt64(Int64.max)),
                waitsForTraffic: try reader.bool("waitsForTraffic", default: false))
        }
    }
}

extension StartRequest: JSONEncodable {
    package func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("attempt", attempt)
            writer.member("origin", origin.rawValue)
            writer.member("options", options)
            writer.member("generation", generation)
            writer.member("waitsForTraffic", waitsForTraffic)
        }
    }
}
