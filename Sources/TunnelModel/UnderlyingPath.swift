package import JSON

/// The ways by which a tunnel's own packets leave the host, as the kernel chooses them.
package struct UnderlyingPath: Equatable, Sendable {
    /// The way of one address family.
    package struct Way: Equatable, Sendable {
        /// The interface by which packets leave.
        package var interface: String
        package var index: Int
        /// `ethernet`, `wifi`, `cellular` or `other`.
        package var kind: String
        /// The next hop; nil where the server is on the link.
        package var gateway: IPAddress?
        /// The address that packets come from.
        package var source: IPAddress?

        package init(
            interface: String,
            index: Int,
            kind: String,
            gateway: IPAddress? = nil,
            source: IPAddress? = nil
        ) {
            self.interface = interface
            self.index = index
            self.kind = kind
            self.gateway = gateway
            self.source = source
        }
    }

    /// The way of IPv4; nil where there is none.
    package var v4: Way?
    /// The way of IPv6; nil where there is none.
    package var v6: Way?

    /// No way at all.
    package init(v4: Way? = nil, v6: Way? = nil) {
        self.v4 = v4
        self.v6 = v6
    }

    /// Whether packets can leave the host.
    package var isUsable: Bool { v4 != nil || v6 != nil }

    /// The ways in a few words.
    package var text: String {
        let ways = [("IPv4", v4), ("IPv6", v6)].compactMap { family, way in
            way.map { "\(family) by \($0.interface)" }
        }
        return ways.isEmpty ? "no network" : ways.joined(separator: ", ")
    }

    init(reading reader: inout JSONObjectReader) throws(JSONError) {
        if let node = reader.node("v4") { v4 = try Way(node) }
        if let node = reader.node("v6") { v6 = try Way(node) }
    }

    func writeMembers(to writer: inout JSONWriter) {
        writer.member("v4", v4)
        writer.member("v6", v6)
    }
}

extension UnderlyingPath.Way: JSONEncodable {
    package func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("interface", interface)
            writer.member("index", index)
            writer.member("kind", kind)
            writer.member("gateway", gateway)
            writer.member("source", source)
        }
    }

    init(_ node: JSONNode) throws(JSONError) {
        var reader = try JSONObjectReader(node)
        interface = try reader.string("interface")
        index = try reader.integer("index", in: 1...Int.max)
        kind = try reader.string("kind")
        gateway = try reader.optionalString("gateway").flatMap { IPAddress($0) }
        source = try reader.optionalString("source").flatMap { IPAddress($0) }
    }
}
