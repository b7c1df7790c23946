package import JSON

/// What the kernel says of one tunnel's interface.
package struct KernelReading: Equatable, Sendable {
    /// The interface that carries our mark.
    package struct Link: Equatable, Sendable {
        package var name: String
        package var index: Int
        package var mtu: UInt32
        package var isUp: Bool
        /// Whether a process holds the TUN open.
        package var hasCarrier: Bool
        package var counters: InterfaceCounters

        package init(
            name: String,
            index: Int,
            mtu: UInt32,
            isUp: Bool,
            hasCarrier: Bool,
            counters: InterfaceCounters
        ) {
            self.name = name
            self.index = index
            self.mtu = mtu
            self.isUp = isUp
            self.hasCarrier = hasCarrier
            self.counters = counters
        }
    }

    /// `nil` where no interface carries the mark.
    package var link: Link?
    package var addresses: [IPPrefix] = []
    /// The destinations of the routes with our protocol number.
    package var routes: [IPPrefix] = []
    /// The routing policy rules of the tunnel, as ip(8) shows them.
    package var rules: [String] = []
    /// The routes of the tunnel that lead nowhere, as ip(8) shows them.
    package var barriers: [String] = []

    /// A reading in which nothing was found.
    package init() {}
}

/// The counters of an interface since its creation: IFLA_STATS64.
package struct InterfaceCounters: Equatable, Sendable {
    package var receivedBytes: UInt64 = 0
    package var sentBytes: UInt64 = 0
    package var receivedPackets: UInt64 = 0
    package var sentPackets: UInt64 = 0
    package var receivedErrors: UInt64 = 0
    package var sentErrors: UInt64 = 0
    package var receivedDropped: UInt64 = 0
    package var sentDropped: UInt64 = 0

    /// Counters at zero.
    package init() {}

    static let keys: [(String, any WritableKeyPath<InterfaceCounters, UInt64> & Sendable)] = [
        ("receivedBytes", \.receivedBytes), ("sentBytes", \.sentBytes),
        ("receivedPackets", \.receivedPackets), ("sentPackets", \.sentPackets),
        ("receivedErrors", \.receivedErrors), ("sentErrors", \.sentErrors),
        ("receivedDropped", \.receivedDropped), ("sentDropped", \.sentDropped),
    ]

    /// Writes one member for each counter.
    package func writeMembers(to writer: inout JSONWriter) {
        for (key, path) in Self.keys { writer.member(key, self[keyPath: path]) }
    }
}

extension KernelReading: JSONEncodable {
    package func write(to writer: inout JSONWriter) {
        writer.object { writer in
            if let link {
                writer.objectMember("link") { writer in
                    writer.member("name", link.name)
                    writer.member("index", link.index)
                    writer.member("mtu", link.mtu)
                    writer.member("isUp", link.isUp)
                    writer.member("hasCarrier", link.hasCarrier)
                    link.counters.writeMembers(to: &writer)
                }
            } else {
                writer.nullMember("link")
            }
            writer.member("addresses", addresses)
            writer.member("routes", routes)
            writer.member("rules", rules)
            writer.member("barriers", barriers)
        }
    }

    init(_ node: JSONNode) throws(JSONError) {
        var reader = try JSONObjectReader(node)
        if let node = reader.node("link") {
            var inner = try JSONObjectReader(node)
            var counters = InterfaceCounters()
            for (key, path) in InterfaceCounters.keys {
                counters[keyPath: path] = try inner.integer(key, in: 0...UInt64.max)
            }
            link = Link(
                name: try inner.string("name"), index: try inner.integer("index", in: 1...Int.max),
                mtu: try inner.integer("mtu", in: 0...UInt32.max), isUp: try inner.bool("isUp"),
                hasCarrier: try inner.bool("hasCarrier"), counters: counters)
        }
        addresses = try reader.prefixes("addresses") ?? []
        routes = try reader.prefixes("routes") ?? []
        rules = try reader.strings("rules")
        barriers = try reader.strings("barriers")
    }
}
